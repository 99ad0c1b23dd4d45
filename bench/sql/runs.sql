-- name: runs
-- what: The pass rate of each run, over the cases that were scored in it.
SELECT
  epoch,
  count(*) FILTER (WHERE state = 'passed') / nullif(count(*) FILTER (WHERE state IN ('passed', 'failed')), 0) AS rate
FROM trials
GROUP BY epoch
ORDER BY epoch
