-- The panel shows archived campaigns apart. They are drafts.
ALTER TABLE campaigns ADD COLUMN archived_at bigint;
