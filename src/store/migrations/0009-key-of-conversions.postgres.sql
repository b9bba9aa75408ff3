-- A database that is divided by account finds a row's part by its key.
ALTER TABLE conversions DROP CONSTRAINT conversions_pkey;
ALTER TABLE conversions ADD PRIMARY KEY (account_id, id);
