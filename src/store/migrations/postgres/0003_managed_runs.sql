-- Runs that a manager carries out on nodes with agents.

CREATE TABLE managed_run (
  run_id   bigint   PRIMARY KEY REFERENCES run (id),
  document text     NOT NULL,
  open     smallint NOT NULL CHECK (open IN (0, 1))
);

CREATE INDEX managed_run_open ON managed_run (run_id) WHERE open = 1;

CREATE TABLE node (
  name     text COLLATE "C" PRIMARY KEY,
  document text NOT NULL
);
