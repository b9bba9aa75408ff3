-- No id of a lead is given twice, as on PostgreSQL: a click that waits to be counted when its lead is erased, or an
-- event that waits to be told, must not become that of the lead who registers next.
CREATE TABLE numbered_leads (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  campaign_id INTEGER NOT NULL,
  email TEXT NOT NULL,
  salt INTEGER NOT NULL,
  registered_at INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  resets INTEGER NOT NULL,
  rule_id INTEGER,
  anchor_at INTEGER,
  opens_at INTEGER,
  deadline_at INTEGER,
  by_hand_deadline_at INTEGER,
  by_hand_set_at INTEGER
) STRICT;
INSERT INTO numbered_leads SELECT * FROM leads ORDER BY id;
DROP TABLE leads;
ALTER TABLE numbered_leads RENAME TO leads;
CREATE UNIQUE INDEX leads_by_email ON leads (campaign_id, email);
CREATE INDEX leads_by_deadline ON leads (account_id, campaign_id, deadline_at, opens_at)
  WHERE by_hand_deadline_at IS NULL AND email > ' ~';
CREATE INDEX leads_set_by_hand ON leads (account_id, campaign_id, by_hand_deadline_at)
  WHERE by_hand_deadline_at IS NOT NULL AND email > ' ~';

-- Ids that are gone may still be named.
DELETE FROM sqlite_sequence WHERE name IN ('leads', 'numbered_leads');
INSERT INTO sqlite_sequence (name, seq) SELECT 'leads', max(id) FROM (
  SELECT coalesce(max(id), 0) AS id FROM leads
  UNION ALL SELECT max(lead_id) FROM lead_counts
  UNION ALL SELECT max(lead_id) FROM clicked_leads
  UNION ALL SELECT max(lead_id) FROM notices
  UNION ALL SELECT max(lead_id) FROM failed_deliveries
  UNION ALL SELECT max(abs(lead_id)) FROM conversions);
