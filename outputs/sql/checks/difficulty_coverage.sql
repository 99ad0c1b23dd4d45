-- name: difficulty-coverage
-- code: ES616
-- what: Each subdimension has records of every difficulty that the plan gives it; without a plan, of every difficulty.
-- why: Without one of the three levels the subdimension cannot show where a model begins to fail.
-- mend: Run again to fill the open cells of the subdimension.
-- needs: records
-- fields: subdimension difficulty
--: rows
WITH wanted AS (
  SELECT subdimension, difficulty, any_value(origin) AS origin FROM slots GROUP BY subdimension, difficulty
  UNION ALL
  SELECT s.subdimension, d.difficulty, NULL
  FROM (SELECT subdimension, count(*) AS n FROM records GROUP BY subdimension) AS s,
    (SELECT DISTINCT difficulty FROM records WHERE difficulty IN ('easy', 'medium', 'hard')) AS d
  WHERE NOT (SELECT has_plan FROM settings) AND s.n >= 3
)
SELECT
  wanted.origin,
  wanted.subdimension AS slot,
  NULL::BIGINT AS "row",
  'none' AS found,
  'at least 1 ' || wanted.difficulty AS required,
  format('subdimension {} has no {} record', wanted.subdimension, wanted.difficulty) AS message
FROM wanted
ANTI JOIN records ON records.subdimension = wanted.subdimension AND records.difficulty = wanted.difficulty
WHERE wanted.subdimension IS NOT NULL
ORDER BY wanted.subdimension, wanted.difficulty
--: summary
SELECT
  'every difficulty in every subdimension' AS required,
  format('{:,} subdimensions', count(DISTINCT subdimension)) AS found,
  '' AS note
FROM records
