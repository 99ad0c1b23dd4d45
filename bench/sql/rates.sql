-- name: rates
-- what: Every rate as the sums that it and its interval are made of. A case counts once: its value is the share of its
--   scored runs that passed. `lowest` and `highest` are the sums with every run that was not scored counted as failed,
--   and as passed; `squares` is the sum over clusters of their squared sums of residuals.
WITH valued AS (
  SELECT
    kind,
    name,
    number,
    passed / nullif(passed + failed, 0) AS value,
    passed / runs AS least,
    (runs - failed) / runs AS most,
    runs,
    runs - passed - failed AS open,
    errors > 0 AND passed + failed = 0 AS errored
  FROM case_values
),
placed AS (
  SELECT kind, name, valued.* EXCLUDE (kind, name) FROM valued
  UNION ALL
  SELECT 'slice ' || marks.axis, marks.value, valued.* EXCLUDE (kind, name)
  FROM valued
  JOIN marks USING (number)
  WHERE valued.kind = 'case'
),
by_cluster AS (
  SELECT
    kind,
    name,
    cluster,
    count(*) AS attempted,
    count(value) AS scored,
    coalesce(fsum(value), 0) AS total,
    count(*) FILTER (WHERE errored) AS errored,
    sum(runs) AS runs,
    sum(open) AS open,
    fsum(least) AS lowest,
    fsum(most) AS highest
  FROM placed
  JOIN clusters USING (number)
  GROUP BY kind, name, cluster
),
centered AS (
  SELECT *, fsum(total) OVER named / nullif(sum(scored) OVER named, 0) AS mean
  FROM by_cluster
  WINDOW named AS (PARTITION BY kind, name)
)
SELECT
  kind,
  name,
  sum(attempted)::BIGINT AS attempted,
  sum(scored)::BIGINT AS scored,
  sum(errored)::BIGINT AS errored,
  sum(runs)::BIGINT AS runs,
  sum(open)::BIGINT AS open,
  fsum(total) AS total,
  fsum(lowest) AS lowest,
  fsum(highest) AS highest,
  count(*) FILTER (WHERE scored > 0) AS clusters,
  coalesce(fsum(pow(total - mean * scored, 2)), 0) AS squares
FROM centered
GROUP BY kind, name
ORDER BY kind, name
