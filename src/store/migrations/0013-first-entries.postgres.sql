-- Each campaign's first entry of the audit log: its settings, in the form of `campaign export`.
INSERT INTO audit_entries
  (account_id, at, actor, actor_name, address, action, subject, subject_id, subject_name, before, after)
  SELECT account_id, CAST(extract(epoch FROM now()) AS bigint), 'migration', 'migration', NULL, 'campaign.recorded',
    'campaign', CAST(id AS text), name, NULL, CAST(json_build_object(
      'id', id, 'name', name, 'isDraft', is_draft = 1,
      'timeZone', settings::json -> 'timeZone', 'language', settings::json -> 'language',
      'mechanism', settings::json -> 'mechanism', 'anonymous', settings::json -> 'anonymous',
      -- Campaigns that were stored before there were conversions do not say.
      'conversion', coalesce(settings::json -> 'conversion', '{"closes":false}'),
      'onExpiry', settings::json -> 'onExpiry',
      'pages', coalesce(pages, '[]'), 'mailTimer', settings::json -> 'mailTimer') AS text)
  FROM campaigns
  -- Joined: a divided database takes no subquery that names a row outside it.
  LEFT JOIN (SELECT campaign_id, json_agg(json_build_object('id', id, 'pageUrl', page_url, 'proxyUrl', proxy_url,
      'eligible', eligible = 1) ORDER BY id) AS pages FROM offer_pages GROUP BY campaign_id) AS own
    ON own.campaign_id = campaigns.id
  ORDER BY campaigns.id;

-- Addresses go after thirty days.
CREATE INDEX audit_entries_with_address ON audit_entries (at) WHERE address IS NOT NULL;
