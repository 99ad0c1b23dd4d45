-- name: charts
-- what: Records by value of each axis, counted under all filters but the axis's own, so that a chart shows what a
--   click on it would give. `matched` is true for the value that the axis is filtered by, or where it is not.
WITH flagged AS MATERIALIZED (
  SELECT
    coalesce(decisions.state, 'open') AS verdict,
    dimension, subdimension, domain, difficulty, strategy, geography, template,
    coalesce(coalesce(decisions.state, 'open') = $verdict, true) AS on_verdict,
    coalesce(dimension = $dimension, true) AS on_dimension,
    coalesce(subdimension = $subdimension, true) AS on_subdimension,
    coalesce(domain = $domain, true) AS on_domain,
    coalesce(difficulty = $difficulty, true) AS on_difficulty,
    coalesce(strategy = $strategy, true) AS on_strategy,
    coalesce(geography = $geography, true) AS on_geography,
    coalesce(template = $template, true) AS on_template,
    8 - (
      on_verdict::INT + on_dimension::INT + on_subdimension::INT + on_domain::INT + on_difficulty::INT
      + on_strategy::INT + on_geography::INT + on_template::INT
    ) AS missed
  FROM records
  LEFT JOIN decisions USING (group_id)
  WHERE NOT $searched OR "row" IN (SELECT "row" FROM found)
)
SELECT 'verdict' AS axis, verdict AS name, count(*) AS records
FROM flagged WHERE missed = 0 OR (missed = 1 AND NOT on_verdict) GROUP BY name
UNION ALL
SELECT 'dimension', dimension, count(*) FROM flagged
WHERE missed = 0 OR (missed = 1 AND NOT on_dimension) GROUP BY dimension
UNION ALL
SELECT 'subdimension', subdimension, count(*) FROM flagged
WHERE missed = 0 OR (missed = 1 AND NOT on_subdimension) GROUP BY subdimension
UNION ALL
SELECT 'domain', domain, count(*) FROM flagged
WHERE missed = 0 OR (missed = 1 AND NOT on_domain) GROUP BY domain
UNION ALL
SELECT 'difficulty', difficulty, count(*) FROM flagged
WHERE missed = 0 OR (missed = 1 AND NOT on_difficulty) GROUP BY difficulty
UNION ALL
SELECT 'strategy', strategy, count(*) FROM flagged
WHERE missed = 0 OR (missed = 1 AND NOT on_strategy) GROUP BY strategy
UNION ALL
SELECT 'geography', geography, count(*) FROM flagged
WHERE missed = 0 OR (missed = 1 AND NOT on_geography) GROUP BY geography
UNION ALL
SELECT 'template', template, count(*) FROM flagged
WHERE missed = 0 OR (missed = 1 AND NOT on_template) GROUP BY template
UNION ALL
SELECT '', '', count(*) FROM flagged WHERE missed = 0
ORDER BY axis, records DESC, name
