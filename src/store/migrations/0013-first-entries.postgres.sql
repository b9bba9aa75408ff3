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
      'pages', (SELECT coalesce(json_agg(json_build_object('id', offer_pages.id, 'pageUrl', page_url, 'proxyUrl', proxy_url,
          'eligible', eligible = 1) ORDER BY offer_pages.id), '[]')
        FROM offer_pages WHERE campaign_id = campaigns.id),
      'mailTimer', settings::json -> 'mailTimer') AS text)
  FROM campaigns ORDER BY id;

-- Addresses go after thirty days.
CREATE INDEX audit_entries_with_address ON audit_entries (at) WHERE address IS NOT NULL;
