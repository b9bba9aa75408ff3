-- The language of a campaign's mails; that of campaigns from before is English.
UPDATE campaigns SET settings = jsonb_set(settings::jsonb, '{language}', '"en"')::text;
