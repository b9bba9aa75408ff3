-- What was tried in vain; refused counts the tries that the server answered. next_at is null once it is given up.
CREATE TABLE failed_deliveries (
  account_id bigint NOT NULL,
  endpoint_id bigint NOT NULL,
  due_at bigint NOT NULL,
  lead_id bigint NOT NULL,
  kind bigint NOT NULL,
  detail bigint NOT NULL,
  tries bigint NOT NULL,
  refused bigint NOT NULL,
  next_at bigint,
  last_at bigint NOT NULL,
  PRIMARY KEY (account_id, endpoint_id, due_at, lead_id, kind, detail)
);
CREATE INDEX failed_deliveries_by_next ON failed_deliveries (account_id, endpoint_id, next_at);

-- A campaign whose leads are still to be gone through for an endpoint, from after_email on. restarts tells a step that
-- is under way that it has begun again.
CREATE TABLE sweeps (
  account_id bigint NOT NULL,
  endpoint_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  cause bigint NOT NULL,
  begun_at bigint NOT NULL DEFAULT 0,
  schedules_before TEXT NOT NULL DEFAULT '[]',
  after_email TEXT NOT NULL DEFAULT '',
  restarts bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, endpoint_id, campaign_id, cause)
);

-- Null: the public API alone.
ALTER TABLE api_keys ADD COLUMN scopes TEXT;
