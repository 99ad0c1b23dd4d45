-- name: load_clusters
-- what: A case and the number of its cluster. The parameter is a JSON list of rows.
CREATE TABLE clusters AS
SELECT unnest(
  from_json(
    $rows::VARCHAR,
    '[{"number": "BIGINT",
      "cluster": "BIGINT"}]'
  ),
  recursive := true
)
