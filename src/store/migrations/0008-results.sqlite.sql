-- Since when starts are counted: of what came before, a lead tells only its present attempt.
ALTER TABLE installation ADD COLUMN starts_since INTEGER NOT NULL DEFAULT 0;
UPDATE installation SET starts_since = unixepoch();
