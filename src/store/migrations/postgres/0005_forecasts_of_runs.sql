-- Forecasts of runs: which run, and what it then took.

ALTER TABLE forecast ADD COLUMN run_id bigint REFERENCES run (id);
ALTER TABLE forecast ADD COLUMN actual double precision;

CREATE INDEX forecast_run ON forecast (run_id) WHERE run_id IS NOT NULL;
