-- The database itself says which lead is an email's. Leads that were not filed yet are taken along; should one
-- email have two leads in spite of everything, the one that was found until now stays.
INSERT OR IGNORE INTO lead_emails (campaign_id, email, id)
  SELECT campaign_id, email, id FROM leads WHERE id > (SELECT filed_up_to FROM filing);
DELETE FROM leads WHERE (SELECT count(*) FROM leads) > (SELECT count(*) FROM lead_emails)
  AND id NOT IN (SELECT id FROM lead_emails);
DROP TABLE lead_emails;
DROP TABLE filing;
CREATE UNIQUE INDEX leads_by_email ON leads (campaign_id, email);
