-- name: strategy-on-easy
-- code: ES615
-- what: Records that are not hard name no adversarial strategy.
-- why: A strategy makes a prompt hard; one on an easy prompt says that one of the two is wrong.
-- mend: Reject the record's group, so that the next run makes it again.
-- needs: records
-- fields: difficulty adversarial_strategy
--: rows
SELECT
  origin,
  shown AS slot,
  "row",
  adversarial_strategy AS found,
  'null' AS required,
  format('the {} record {} has the strategy {}, only hard ones have one', difficulty, shown, adversarial_strategy) AS message
FROM placed
WHERE difficulty IN ('easy', 'medium') AND adversarial_strategy IS NOT NULL
ORDER BY "row"
--: summary
SELECT
  'null on easy and medium records' AS required,
  format(
    '{:,} of {:,} with a strategy',
    count(*) FILTER (WHERE adversarial_strategy IS NOT NULL), count(*)
  ) AS found,
  '' AS note
FROM records
WHERE difficulty IN ('easy', 'medium')
