-- name: case_values
-- what: One row a case and what is scored of it (the case itself, a check, a metric), over its runs: how many passed,
--   failed, or met an error. A run's checks of one name or metric count as one: failed, where one of them did.
CREATE OR REPLACE TABLE case_values AS
WITH judged AS (
  SELECT
    named.kind,
    CASE named.kind WHEN 'check' THEN verdicts."check" ELSE verdicts.metric END AS name,
    verdicts.number,
    verdicts.epoch,
    CASE
      WHEN bool_or(verdicts.verdict = 'fail') THEN 'failed'
      WHEN bool_or(verdicts.verdict = 'unscored') THEN 'undecided'
      ELSE 'passed'
    END AS state
  FROM verdicts
  CROSS JOIN (VALUES ('check'), ('metric')) AS named(kind)
  GROUP BY ALL
),
states AS (
  SELECT 'case' AS kind, '' AS name, number, epoch, state
  FROM trials
  UNION ALL
  SELECT
    carried.kind,
    carried.name,
    carried.number,
    trials.epoch,
    CASE WHEN trials.state = 'error' THEN 'error' ELSE coalesce(judged.state, 'undecided') END AS state
  FROM carried
  JOIN trials USING (number)
  LEFT JOIN judged
    ON judged.kind = carried.kind
    AND judged.name = carried.name
    AND judged.number = carried.number
    AND judged.epoch = trials.epoch
)
SELECT
  kind,
  name,
  number,
  count(*) AS runs,
  count(*) FILTER (WHERE state = 'passed') AS passed,
  count(*) FILTER (WHERE state = 'failed') AS failed,
  count(*) FILTER (WHERE state = 'error') AS errors
FROM states
GROUP BY kind, name, number
