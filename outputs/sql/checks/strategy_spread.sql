-- name: strategy-spread
-- code: ES632
-- what: Hard records are spread over the adversarial strategies as planned, within a tenth.
-- why: A dataset whose hard prompts all use one trick measures that trick.
-- mend: Run again to fill what is open; allow more strategies in the templates and compile.
-- needs: plan records
-- fields: difficulty adversarial_strategy
--: rows
WITH counted AS (
  SELECT adversarial_strategy AS name, count(*) AS n
  FROM records
  WHERE difficulty = 'hard' AND adversarial_strategy IS NOT NULL
  GROUP BY name
),
planned AS (
  SELECT adversarial_strategy AS name, count(*) AS asked, any_value('strategy:' || adversarial_strategy) AS origin
  FROM slots
  WHERE adversarial_strategy IS NOT NULL
  GROUP BY name
),
bounded AS (
  SELECT
    planned.origin, planned.name, coalesce(counted.n, 0) AS n, asked,
    least(asked - 1, floor(0.9 * asked))::BIGINT AS low, greatest(asked + 1, ceil(1.1 * asked))::BIGINT AS high
  FROM planned
  LEFT JOIN counted USING (name)
)
SELECT
  origin,
  NULL::VARCHAR AS slot,
  NULL::BIGINT AS "row",
  format('{:,} records', n) AS found,
  format('{:,} to {:,}', low, high) AS required,
  format('the strategy {} has {:,} hard records, {:,} to {:,} are accepted', name, n, low, high) AS message
FROM bounded
WHERE n NOT BETWEEN low AND high
ORDER BY name
--: summary
SELECT
  'each within 10 % of its plan' AS required,
  CASE WHEN count(*) = 0 THEN 'no strategy in use'
    ELSE format('{} in use, from {:,} to {:,} records', count(*), min(n), max(n)) END AS found,
  '' AS note
FROM (
  SELECT adversarial_strategy, count(*) AS n
  FROM records
  WHERE difficulty = 'hard' AND adversarial_strategy IS NOT NULL
  GROUP BY adversarial_strategy
)
