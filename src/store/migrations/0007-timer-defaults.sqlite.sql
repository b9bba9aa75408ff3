-- Styles of countdown images that were stored before their defaults became others: mails already sent show what they
-- showed.
UPDATE campaigns SET settings = json_set(settings, '$.mailTimer', json_patch(
  '{"font":"inter","background":"#ffffff","box":"#111827","digits":"#ffffff","labels":"#4b5563","showLabels":true,"width":600,"height":140,"cornerRadius":10,"pixelsPerPoint":1}',
  settings -> '$.mailTimer'))
  WHERE json_type(settings, '$.mailTimer') = 'object';
-- The engine that draws is a newer one: nobody reads these.
DELETE FROM timer_templates;
