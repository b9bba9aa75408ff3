-- Whom to tell of what. generation is that of the secret, and the one before signs too until old_until. What was due
-- before from_at is not told.
CREATE TABLE endpoints (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  settings TEXT NOT NULL,
  generation INTEGER NOT NULL DEFAULT 1,
  old_until INTEGER,
  created_at INTEGER NOT NULL,
  from_at INTEGER NOT NULL DEFAULT 0,
  paused_at INTEGER,
  pause_cause TEXT,
  failing_since INTEGER,
  failures INTEGER NOT NULL DEFAULT 0,
  next_try_at INTEGER,
  lease_holder TEXT,
  lease_ends_at INTEGER
) STRICT;
CREATE UNIQUE INDEX endpoints_by_account ON endpoints (account_id, id);

-- At due_at somebody is to be told of the lead; a kind of 0 says: see what is true then. Below zero lead_id is a
-- campaign. What waits to be told is this table, in the order of its key, and nothing is written when due_at comes.
CREATE TABLE notices (
  account_id INTEGER NOT NULL,
  endpoint_id INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  lead_id INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  detail INTEGER NOT NULL,
  PRIMARY KEY (account_id, endpoint_id, due_at, lead_id, kind)
) STRICT, WITHOUT ROWID;
