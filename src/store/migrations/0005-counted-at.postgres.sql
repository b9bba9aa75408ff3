-- When the requests were counted, in seconds: how long the minute still lasts is told by the statement that counts.
ALTER TABLE request_rates ADD COLUMN counted_at bigint NOT NULL DEFAULT 0;
