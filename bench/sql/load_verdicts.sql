-- name: load_verdicts
-- what: The verdict of one check of a trial, and the metric that it counts for. The parameter is a JSON list of rows.
CREATE OR REPLACE TABLE verdicts AS
SELECT unnest(
  from_json(
    $rows::VARCHAR,
    '[{"number": "BIGINT",
      "epoch": "BIGINT",
      "check": "VARCHAR",
      "metric": "VARCHAR",
      "verdict": "VARCHAR"}]'
  ),
  recursive := true
)
