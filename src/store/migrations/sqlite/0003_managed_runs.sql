-- Runs that a manager carries out on nodes with agents.

CREATE TABLE managed_run (
  run_id   INTEGER PRIMARY KEY REFERENCES run (id),
  document TEXT    NOT NULL,
  open     INTEGER NOT NULL CHECK (open IN (0, 1))
) STRICT;

CREATE INDEX managed_run_open ON managed_run (run_id) WHERE open = 1;

CREATE TABLE node (
  name     TEXT NOT NULL PRIMARY KEY,
  document TEXT NOT NULL
) STRICT;
