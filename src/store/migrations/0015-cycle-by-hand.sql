-- The cycle in which a lead was when its deadline was set by hand: an end of the campaign that is set later changes
-- nothing about it. Null where there is no such deadline, or one of before.
ALTER TABLE leads ADD COLUMN by_hand_cycle bigint;
