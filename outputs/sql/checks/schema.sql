-- name: schema
-- code: ES606
-- what: Every record is what the JSON Schema of a record admits: all fields, no others, each of its type.
-- why: A reader that trusts the field table must not meet a missing field or a number written as text.
-- mend: Assemble again; if a file was edited by hand, take the edit back.
-- needs: records
-- note: Ids and links are judged by ES612 and ES607, which say more.
--: rows
SELECT
  any_value(placed.origin ORDER BY schema_faults.row) AS origin,
  any_value(placed.shown ORDER BY schema_faults.row) AS slot,
  min(schema_faults.row) AS "row",
  schema_faults.message AS found,
  'the record schema' AS required,
  CASE
    WHEN count(*) > 1 THEN format('{:,} records are not valid, the first in row {}: {}', count(*), min(schema_faults.row), schema_faults.message)
    WHEN min(schema_faults.row) IS NULL THEN schema_faults.message
    ELSE format('the record in row {} is not valid: {}', min(schema_faults.row), schema_faults.message)
  END AS message
FROM schema_faults
LEFT JOIN placed ON placed.row = schema_faults.row
GROUP BY schema_faults.message
ORDER BY "row" NULLS FIRST, found
--: summary
SELECT
  '100 % of records valid' AS required,
  format('{:,} of {:,} valid', n - least(n, faulty), n) AS found,
  '' AS note
FROM (SELECT count(*) AS n FROM records), (SELECT count(DISTINCT coalesce("row", 0)) AS faulty FROM schema_faults)
