-- How many of those who signed up then have bought, and not given it back.
ALTER TABLE signup_counts ADD COLUMN converted bigint NOT NULL DEFAULT 0;
