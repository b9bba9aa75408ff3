-- Until now the number of tries was below 0 if somebody had asked for the event again.
ALTER TABLE failed_deliveries ADD COLUMN is_asked_for bigint NOT NULL DEFAULT 0;
UPDATE failed_deliveries SET is_asked_for = 1, tries = -1 - tries WHERE tries < 0;

-- A sweep under way that has its schedules in an older form writes the next looks, and tells nobody of the edit.
UPDATE sweeps SET schedules_before = '[]' WHERE schedules_before NOT LIKE '%"until":%';
