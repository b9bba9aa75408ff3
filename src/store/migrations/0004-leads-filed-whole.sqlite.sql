-- Version 4: in a large database a lead to which nothing has happened stood whole with its email, the others with
-- a salt of NULL.
DROP TABLE lead_emails;
CREATE TABLE lead_emails (
  campaign_id INTEGER NOT NULL,
  email TEXT NOT NULL,
  id INTEGER NOT NULL,
  salt INTEGER,
  registered_at INTEGER,
  rule_id INTEGER,
  deadline_at INTEGER,
  PRIMARY KEY (campaign_id, email)
) STRICT, WITHOUT ROWID;
INSERT INTO lead_emails
  SELECT campaign_id, email, id,
    iif(attempt = 1 AND resets = 0 AND anchor_at = registered_at AND by_hand_deadline_at IS NULL
      AND opens_at IS iif(rule_id IS NULL, NULL, registered_at), salt, NULL),
    registered_at, rule_id, deadline_at
  FROM leads ORDER BY campaign_id, email;
UPDATE filing SET filed_up_to = coalesce((SELECT max(id) FROM leads), 0);
