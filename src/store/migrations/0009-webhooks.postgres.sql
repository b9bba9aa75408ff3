-- Of two changes of a lead in one second each is told.
ALTER TABLE notices DROP CONSTRAINT notices_pkey;
ALTER TABLE notices ADD PRIMARY KEY (account_id, endpoint_id, due_at, lead_id, kind, detail);
