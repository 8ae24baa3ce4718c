-- The first schema. docs/store.md explains every table and column. Names are ordered and compared
-- byte by byte, whatever the database's own order is; what need not be UTF-8 is bytea.

CREATE TABLE sample_set (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name           text   COLLATE "C" NOT NULL UNIQUE,
  source         bytea  NOT NULL,
  fingerprint    text   COLLATE "C" NOT NULL,
  imported_at_us bigint NOT NULL,
  columns        text   NOT NULL,
  row_count      bigint NOT NULL CHECK (row_count >= 0)
);

CREATE INDEX sample_set_fingerprint ON sample_set (fingerprint);

CREATE TABLE sample (
  set_id bigint NOT NULL REFERENCES sample_set (id) ON DELETE CASCADE,
  row    bigint NOT NULL,
  cells  text   NOT NULL,
  PRIMARY KEY (set_id, row)
);

CREATE TABLE model (
  id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name             text   COLLATE "C" NOT NULL,
  technique        text   NOT NULL,
  target           bytea  NOT NULL,
  data_fingerprint text   NOT NULL,
  document         text   NOT NULL,
  created_at_us    bigint NOT NULL
);

CREATE INDEX model_name ON model (name, id);

CREATE TABLE forecast (
  id            bigint   GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  model_id      bigint   NOT NULL REFERENCES model (id),
  question      text     NOT NULL,
  predicted     double precision,
  lower         double precision,
  upper         double precision,
  in_support    smallint NOT NULL CHECK (in_support IN (0, 1)),
  outside       text     NOT NULL,
  created_at_us bigint   NOT NULL
);

CREATE INDEX forecast_model ON forecast (model_id, id);

CREATE TABLE run (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name          text   COLLATE "C" NOT NULL,
  job           text   NOT NULL,
  plan          text,
  state         text   NOT NULL,
  created_at_us bigint NOT NULL,
  changed_at_us bigint NOT NULL
);

-- Ids are given under the store's write lock, so they grow in the order of commits.
CREATE TABLE event (
  id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id bigint REFERENCES run (id),
  kind   text   NOT NULL,
  detail text   NOT NULL,
  at_us  bigint NOT NULL
);

CREATE INDEX event_run ON event (run_id, id);

CREATE FUNCTION refuse_change_of_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'events are never %', CASE TG_OP WHEN 'UPDATE' THEN 'changed' ELSE 'deleted' END;
END
$$;

CREATE TRIGGER event_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON event
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_event();
