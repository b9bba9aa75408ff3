-- Styles of countdown images that were stored before their defaults became others: mails already sent show what they
-- showed.
UPDATE campaigns SET settings = jsonb_set(settings::jsonb, '{mailTimer}',
  '{"font":"inter","background":"#ffffff","box":"#111827","digits":"#ffffff","labels":"#4b5563","showLabels":true,"width":600,"height":140,"cornerRadius":10,"pixelsPerPoint":1}'
  || (settings::jsonb -> 'mailTimer'))::text
  WHERE jsonb_typeof(settings::jsonb -> 'mailTimer') = 'object';
-- The engine that draws is a newer one: nobody reads these.
DELETE FROM timer_templates;
