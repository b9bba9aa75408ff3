-- The language of a campaign's mails; that of campaigns from before is English.
UPDATE campaigns SET settings = json_set(settings, '$.language', 'en');
