-- name: load_marks
-- what: A slice that a case is in. The parameter is a JSON list of rows.
CREATE TABLE marks AS
SELECT unnest(
  from_json(
    $rows::VARCHAR,
    '[{"axis": "VARCHAR",
      "value": "VARCHAR",
      "number": "BIGINT"}]'
  ),
  recursive := true
)
