-- The role of Lastcall in compose's PostgreSQL: it owns its database and the tables in it, and is no superuser.
-- PostgreSQL runs this once, while its volume is new. On an older volume, or to change the password, run it by hand:
-- docs/operating.md says how.
\getenv password LASTCALL_DB_PASSWORD

DO $$
DECLARE
  made_by_superuser text;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'lastcall_app') THEN
    CREATE ROLE lastcall_app LOGIN;
  END IF;
  EXECUTE format('ALTER DATABASE %I OWNER TO lastcall_app', current_database());
  FOR made_by_superuser IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
    EXECUTE format('ALTER TABLE public.%I OWNER TO lastcall_app', made_by_superuser);
  END LOOP;
END
$$;
ALTER ROLE lastcall_app PASSWORD :'password';
