-- Secrets that sign beside the present one, and until when: there may be several.
ALTER TABLE endpoints ADD COLUMN old_secrets TEXT NOT NULL DEFAULT '[]';
UPDATE endpoints SET old_secrets = '[{"generation":' || (generation - 1) || ',"until":' || old_until || '}]'
  WHERE old_until IS NOT NULL;
ALTER TABLE endpoints DROP COLUMN old_until;

-- Of the tries, those that the server answered.
ALTER TABLE failed_deliveries ADD COLUMN refused bigint NOT NULL DEFAULT 0;
UPDATE failed_deliveries SET refused = tries;

-- What a campaign decided by before the edit, and before each edit that came while its leads were gone through. By
-- restarts a step that is under way sees that it has begun again.
ALTER TABLE sweeps ADD COLUMN schedules_before TEXT NOT NULL DEFAULT '[]';
UPDATE sweeps SET schedules_before = '[' || schedule_before || ']' WHERE schedule_before IS NOT NULL;
ALTER TABLE sweeps DROP COLUMN schedule_before;
ALTER TABLE sweeps ADD COLUMN restarts bigint NOT NULL DEFAULT 0;
