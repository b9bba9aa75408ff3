-- Their leads and what was counted of them are removed bit by bit: a million at once would stop everything else.
CREATE TABLE deleted_campaigns (
  id bigint PRIMARY KEY,
  account_id bigint NOT NULL
);
