-- name: load_trials
-- what: A trial: its case, epoch, outcome, latency in ms, tokens, and whether its answer was rejected. The parameter
--   is a JSON list of rows.
CREATE OR REPLACE TABLE trials AS
SELECT unnest(
  from_json(
    $rows::VARCHAR,
    '[{"number": "BIGINT",
      "epoch": "BIGINT",
      "state": "VARCHAR",
      "latency": "DOUBLE",
      "tokens": "BIGINT",
      "rejected": "BOOLEAN"}]'
  ),
  recursive := true
)
