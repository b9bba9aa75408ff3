-- Since when starts are counted: of what came before, a lead tells only its present attempt.
ALTER TABLE installation ADD COLUMN starts_since bigint NOT NULL DEFAULT 0;
UPDATE installation SET starts_since = CAST(floor(extract(epoch FROM now())) AS bigint);
-- Vacuumed leads are counted by the index alone: so as they come, not only when there are a fifth more.
ALTER TABLE leads SET (autovacuum_vacuum_insert_threshold = 10000, autovacuum_vacuum_insert_scale_factor = 0.02);
