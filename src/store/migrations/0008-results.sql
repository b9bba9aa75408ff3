-- Of those who signed up within a quarter of an hour, from from_at on: how many there were, how many of them have
-- started, and how many have clicked. The days of every time zone begin with a quarter.
CREATE TABLE signup_counts (
  account_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  from_at bigint NOT NULL,
  signed_up bigint NOT NULL,
  started bigint NOT NULL,
  clicked bigint NOT NULL,
  PRIMARY KEY (account_id, campaign_id, from_at)
);

-- Leads whose first click is counted there.
CREATE TABLE clicked_leads (
  account_id bigint NOT NULL,
  lead_id bigint NOT NULL,
  PRIMARY KEY (account_id, lead_id)
);

INSERT INTO clicked_leads
  SELECT account_id, id FROM leads WHERE EXISTS (
    SELECT 1 FROM lead_counts WHERE lead_counts.account_id = leads.account_id AND lead_id = leads.id
      AND kind = 0 AND fetcher = 0);
INSERT INTO signup_counts
  SELECT leads.account_id, campaign_id, registered_at / 900 * 900, count(*), 0, count(lead_id)
  FROM leads LEFT JOIN clicked_leads ON clicked_leads.account_id = leads.account_id AND lead_id = leads.id
  WHERE email > ' ~' GROUP BY 1, 2, 3;

-- How many offers are open is read off these. Emails come behind ' ~', visitors without one before it.
CREATE INDEX leads_by_deadline ON leads (account_id, campaign_id, deadline_at, opens_at)
  WHERE by_hand_deadline_at IS NULL AND email > ' ~';
CREATE INDEX leads_set_by_hand ON leads (account_id, campaign_id, by_hand_deadline_at)
  WHERE by_hand_deadline_at IS NOT NULL AND email > ' ~';
