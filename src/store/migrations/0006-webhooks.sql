-- What was tried in vain. next_at is null once it is given up.
CREATE TABLE failed_deliveries (
  account_id bigint NOT NULL,
  endpoint_id bigint NOT NULL,
  due_at bigint NOT NULL,
  lead_id bigint NOT NULL,
  kind bigint NOT NULL,
  detail bigint NOT NULL,
  tries bigint NOT NULL,
  next_at bigint,
  last_at bigint NOT NULL,
  PRIMARY KEY (account_id, endpoint_id, due_at, lead_id, kind, detail)
);
CREATE INDEX failed_deliveries_by_next ON failed_deliveries (account_id, endpoint_id, next_at);

-- A campaign whose leads are still to be gone through for an endpoint, from after_email on.
CREATE TABLE sweeps (
  account_id bigint NOT NULL,
  endpoint_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  cause bigint NOT NULL,
  begun_at bigint NOT NULL DEFAULT 0,
  schedule_before TEXT,
  after_email TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (account_id, endpoint_id, campaign_id, cause)
);

-- Null: the public API alone.
ALTER TABLE api_keys ADD COLUMN scopes TEXT;
