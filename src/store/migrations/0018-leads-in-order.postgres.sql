-- A page in the order of deadlines is read off this, also where all leads of a campaign share one. SQLite's ends in the id
-- by itself.
DROP INDEX leads_by_deadline;
CREATE INDEX leads_by_deadline ON leads (account_id, campaign_id, deadline_at, opens_at, id)
  WHERE by_hand_deadline_at IS NULL AND email > ' ~';
