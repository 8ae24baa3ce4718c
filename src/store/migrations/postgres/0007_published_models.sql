-- Trained models that answer what images show, as versions of a name; one of them at most is live.

CREATE TABLE published_model (
  name       text   COLLATE "C" NOT NULL,
  version    bigint NOT NULL,
  run_id     bigint NOT NULL REFERENCES run (id),
  state      text   COLLATE "C" NOT NULL CHECK (state IN ('candidate', 'live', 'retired')),
  document   text   NOT NULL,
  created_us bigint NOT NULL,
  PRIMARY KEY (name, version)
);

CREATE UNIQUE INDEX published_model_live ON published_model (name) WHERE state = 'live';
