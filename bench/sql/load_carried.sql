-- name: load_carried
-- what: A check or metric that a case carries, whether or not it came to a verdict. The parameter is a JSON list of
--   rows.
CREATE OR REPLACE TABLE carried AS
SELECT unnest(
  from_json(
    $rows::VARCHAR,
    '[{"kind": "VARCHAR",
      "name": "VARCHAR",
      "number": "BIGINT"}]'
  ),
  recursive := true
)
