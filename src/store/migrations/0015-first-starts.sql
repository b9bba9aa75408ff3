-- An attempt that waits for its first visit has the rule of one that started before it, from now on. Of those that wait
-- behind a retry it is not known whether one did: nearly always it did.
UPDATE leads SET rule_id = last.id
  FROM (SELECT campaign_id, max(id) AS id FROM rules GROUP BY campaign_id) AS last
  WHERE last.campaign_id = leads.campaign_id AND attempt > 1 AND anchor_at IS NULL;
