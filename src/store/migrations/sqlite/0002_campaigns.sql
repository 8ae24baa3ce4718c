-- Profiling campaigns: what is to be measured, and which runs have measured it.

CREATE TABLE campaign (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  name          TEXT    NOT NULL UNIQUE,
  document      TEXT    NOT NULL,
  created_at_us INTEGER NOT NULL,
  changed_at_us INTEGER NOT NULL
) STRICT;

ALTER TABLE run ADD COLUMN campaign_id INTEGER REFERENCES campaign (id);
ALTER TABLE run ADD COLUMN point TEXT;

CREATE INDEX run_campaign ON run (campaign_id, id) WHERE campaign_id IS NOT NULL;
