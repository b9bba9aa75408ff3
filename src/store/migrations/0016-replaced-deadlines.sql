-- When the deadline by hand was set that an order has replaced: one that is told later and was bought before that did not
-- find it. Null where there was none, and for orders of before.
ALTER TABLE conversions ADD COLUMN replaced_set_at bigint;
