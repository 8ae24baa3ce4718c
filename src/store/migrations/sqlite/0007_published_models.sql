-- Trained models that answer what images show, as versions of a name; one of them at most is live.

CREATE TABLE published_model (
  name       TEXT    NOT NULL,
  version    INTEGER NOT NULL,
  run_id     INTEGER NOT NULL REFERENCES run (id),
  state      TEXT    NOT NULL CHECK (state IN ('candidate', 'live', 'retired')),
  document   TEXT    NOT NULL,
  created_us INTEGER NOT NULL,
  PRIMARY KEY (name, version)
) STRICT;

CREATE UNIQUE INDEX published_model_live ON published_model (name) WHERE state = 'live';
