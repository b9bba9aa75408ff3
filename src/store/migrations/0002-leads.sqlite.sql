-- Counts the changes of accounts, keys and campaigns, so that a server sees when to read them again.
CREATE TABLE configuration (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL) STRICT;
INSERT INTO configuration VALUES (1, 1);

-- Instants are seconds. An attempt that is pending has no anchor. resets stands last but one of the small
-- columns because 0, 1 and NULL take no room in a row.
CREATE TABLE leads (
  id INTEGER PRIMARY KEY,
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
CREATE TABLE lead_emails (
  campaign_id INTEGER NOT NULL,
  email TEXT NOT NULL,
  lead_id INTEGER NOT NULL,
  PRIMARY KEY (campaign_id, email)
) STRICT, WITHOUT ROWID;

-- Every lead up to this id stands in lead_emails; those after it may.
CREATE TABLE filing (id INTEGER PRIMARY KEY CHECK (id = 1), filed_up_to INTEGER NOT NULL) STRICT;
INSERT INTO filing VALUES (1, 0);
