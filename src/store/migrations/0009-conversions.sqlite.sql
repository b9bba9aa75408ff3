-- One row an order. Of an erased lead the order is a hash, and lead_id below zero, the same for all of its orders.
-- amount is in the currency's smallest unit; closed_at is when the order ended the offer, and replaced_deadline_at the
-- deadline by hand that stood until then.
CREATE TABLE conversions (
  account_id INTEGER NOT NULL,
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaign_id INTEGER NOT NULL,
  lead_id INTEGER NOT NULL,
  order_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  deadline_at INTEGER,
  registered_at INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  cycle INTEGER NOT NULL,
  amount INTEGER,
  currency TEXT,
  source INTEGER NOT NULL,
  closed_at INTEGER,
  replaced_deadline_at INTEGER,
  reversed_at INTEGER,
  UNIQUE (account_id, campaign_id, order_id)
) STRICT;
CREATE INDEX conversions_by_id ON conversions (account_id, campaign_id, id);
-- All that the report reads.
CREATE INDEX conversions_by_time ON conversions
  (account_id, campaign_id, at, deadline_at, registered_at, currency, amount, closed_at, reversed_at);
CREATE INDEX conversions_by_lead ON conversions (account_id, lead_id);
