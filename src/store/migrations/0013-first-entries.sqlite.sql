-- Each campaign's first entry of the audit log: its settings, in the form of `campaign export`.
INSERT INTO audit_entries
  (account_id, at, actor, actor_name, address, action, subject, subject_id, subject_name, before, after)
  SELECT account_id, unixepoch(), 'migration', 'migration', NULL, 'campaign.recorded', 'campaign', CAST(id AS TEXT),
    name, NULL, json_object(
      'id', id, 'name', name, 'isDraft', json(iif(is_draft = 1, 'true', 'false')),
      'timeZone', settings -> '$.timeZone', 'language', settings -> '$.language',
      'mechanism', settings -> '$.mechanism', 'anonymous', settings -> '$.anonymous',
      -- Campaigns that were stored before there were conversions do not say.
      'conversion', json(coalesce(settings -> '$.conversion', '{"closes":false}')),
      'onExpiry', settings -> '$.onExpiry',
      'pages', json((SELECT json_group_array(json_object('id', offer_pages.id, 'pageUrl', page_url, 'proxyUrl', proxy_url,
          'eligible', json(iif(eligible = 1, 'true', 'false'))) ORDER BY offer_pages.id)
        FROM offer_pages WHERE campaign_id = campaigns.id)),
      'mailTimer', settings -> '$.mailTimer')
  FROM campaigns ORDER BY id;

-- Addresses go after thirty days.
CREATE INDEX audit_entries_with_address ON audit_entries (at) WHERE address IS NOT NULL;
