-- Profiling campaigns: what is to be measured, and which runs have measured it.

CREATE TABLE campaign (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name          text   COLLATE "C" NOT NULL UNIQUE,
  document      text   NOT NULL,
  created_at_us bigint NOT NULL,
  changed_at_us bigint NOT NULL
);

ALTER TABLE run ADD COLUMN campaign_id bigint REFERENCES campaign (id);
ALTER TABLE run ADD COLUMN point text;

CREATE INDEX run_campaign ON run (campaign_id, id) WHERE campaign_id IS NOT NULL;
