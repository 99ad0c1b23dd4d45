-- name: record-id
-- code: ES612
-- what: Each id is a UUID of version 4, and stands once.
-- why: Scores are joined to records by id.
-- mend: Assemble again; ids are drawn when the plan is compiled.
-- needs: records
-- fields: id
--: rows
SELECT
  origin,
  shown AS slot,
  "row",
  coalesce(id, 'null') AS found,
  'a UUID v4' AS required,
  format('the id {} in row {} is not a UUID of version 4', coalesce(id, 'null'), "row") AS message
FROM placed
WHERE id IS NULL OR NOT regexp_full_match(id, '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}')
UNION ALL
SELECT
  any_value(origin),
  any_value(shown),
  max("row"),
  format('{} times', count(*)),
  'once',
  format('the id {} stands in {} rows: {}', id, count(*), string_agg("row"::VARCHAR, ', ' ORDER BY "row"))
FROM placed
WHERE id IS NOT NULL
GROUP BY id
HAVING count(*) > 1
ORDER BY "row"
--: summary
SELECT
  'a UUID v4 each, none twice' AS required,
  format('{:,} ids in {:,} records', count(DISTINCT id), count(*)) AS found,
  '' AS note
FROM records
