-- What managed runs have cost, once they are over, and who has asked for them.

CREATE TABLE charge (
  run_id    INTEGER PRIMARY KEY REFERENCES run (id),
  user_name TEXT    NOT NULL,
  project   TEXT    NOT NULL,
  dollars   REAL    NOT NULL,
  at_us     INTEGER NOT NULL
) STRICT;

CREATE INDEX charge_at ON charge (at_us);
