-- The oldest are removed by their age. On SQLite it stands behind a million bytes of template, which would be read of each.
CREATE INDEX timer_templates_by_age ON timer_templates (made_at);
