-- What managed runs have cost, once they are over, and who has asked for them.

CREATE TABLE charge (
  run_id    bigint           PRIMARY KEY REFERENCES run (id),
  user_name text             COLLATE "C" NOT NULL,
  project   text             COLLATE "C" NOT NULL,
  dollars   double precision NOT NULL,
  at_us     bigint           NOT NULL
);

CREATE INDEX charge_at ON charge (at_us);
