-- name: quotas
-- what: Targets with the number of records found, their deviation, and the figures as a reader sees them.
CREATE OR REPLACE VIEW quotas AS
WITH counted AS (
  SELECT 'dimension' AS axis, dimension AS name, count(*) AS n FROM records GROUP BY dimension
  UNION ALL
  SELECT 'domain', source_domain, count(*) FROM records GROUP BY source_domain
  UNION ALL
  SELECT 'difficulty', difficulty, count(*) FROM records GROUP BY difficulty
  UNION ALL
  SELECT 'geography', geography, count(*) FROM records GROUP BY geography
),
joined AS (
  SELECT targets.*, coalesce(counted.n, 0) AS n FROM targets LEFT JOIN counted USING (axis, name)
)
SELECT
  *,
  CASE WHEN target = 0 THEN 0 ELSE 100 * (n - target) / target END AS deviation,
  n NOT BETWEEN low AND high AS missed,
  n BETWEEN low AND high AND n NOT BETWEEN strict_low AND strict_high AS rounded,
  format('{:,} records', n) AS found,
  format('{:,} to {:,}', low, high) AS required,
  CASE WHEN target = floor(target) THEN format('{:,}', target::BIGINT) ELSE format('{:,.2f}', target) END AS target_text
FROM joined
