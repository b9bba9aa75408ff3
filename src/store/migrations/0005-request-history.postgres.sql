-- The request history as rows; what is left of request_batches is moved here by a running server.
CREATE TABLE request_history (
  account_id bigint NOT NULL,
  at_ms bigint NOT NULL,
  request_id uuid NOT NULL,
  key_id uuid NOT NULL,
  operation text,
  campaign_id bigint,
  status smallint NOT NULL,
  error_code text,
  milliseconds bigint NOT NULL,
  PRIMARY KEY (account_id, at_ms, request_id)
);
CREATE INDEX request_history_by_time ON request_history (at_ms);
