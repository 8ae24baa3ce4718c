-- The first schema. docs/store.md explains every table and column.

CREATE TABLE sample_set (
  id             INTEGER PRIMARY KEY,
  name           TEXT    NOT NULL UNIQUE,
  source         TEXT    NOT NULL,
  fingerprint    TEXT    NOT NULL,
  imported_at_us INTEGER NOT NULL,
  columns        TEXT    NOT NULL,
  row_count      INTEGER NOT NULL CHECK (row_count >= 0)
) STRICT;

CREATE INDEX sample_set_fingerprint ON sample_set (fingerprint);

CREATE TABLE sample (
  set_id INTEGER NOT NULL REFERENCES sample_set (id) ON DELETE CASCADE,
  row    INTEGER NOT NULL,
  cells  TEXT    NOT NULL,
  PRIMARY KEY (set_id, row)
) STRICT, WITHOUT ROWID;

CREATE TABLE model (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  name             TEXT    NOT NULL,
  technique        TEXT    NOT NULL,
  target           TEXT    NOT NULL,
  data_fingerprint TEXT    NOT NULL,
  document         TEXT    NOT NULL,
  created_at_us    INTEGER NOT NULL
) STRICT;

CREATE INDEX model_name ON model (name, id);

CREATE TABLE forecast (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  model_id      INTEGER NOT NULL REFERENCES model (id),
  question      TEXT    NOT NULL,
  predicted     REAL,
  lower         REAL,
  upper         REAL,
  in_support    INTEGER NOT NULL CHECK (in_support IN (0, 1)),
  outside       TEXT    NOT NULL,
  created_at_us INTEGER NOT NULL
) STRICT;

CREATE INDEX forecast_model ON forecast (model_id, id);

CREATE TABLE run (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  name          TEXT    NOT NULL,
  job           TEXT    NOT NULL,
  plan          TEXT,
  state         TEXT    NOT NULL,
  created_at_us INTEGER NOT NULL,
  changed_at_us INTEGER NOT NULL
) STRICT;

CREATE TABLE event (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id INTEGER          REFERENCES run (id),
  kind   TEXT    NOT NULL,
  detail TEXT    NOT NULL,
  at_us  INTEGER NOT NULL
) STRICT;

CREATE INDEX event_run ON event (run_id, id);

CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event
BEGIN
  SELECT RAISE(ABORT, 'events are never changed');
END;

CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event
BEGIN
  SELECT RAISE(ABORT, 'events are never deleted');
END;
