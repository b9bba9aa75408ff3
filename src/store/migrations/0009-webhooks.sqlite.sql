-- Of two changes of a lead in one second each is told.
CREATE TABLE notices_by_detail (
  account_id INTEGER NOT NULL,
  endpoint_id INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  lead_id INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  detail INTEGER NOT NULL,
  PRIMARY KEY (account_id, endpoint_id, due_at, lead_id, kind, detail)
) STRICT, WITHOUT ROWID;
INSERT INTO notices_by_detail SELECT * FROM notices;
DROP TABLE notices;
ALTER TABLE notices_by_detail RENAME TO notices;
