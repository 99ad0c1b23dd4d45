-- name: figures
-- what: Latencies of the trials that were answered, by nearest rank (the p-th percentile of n is the value at place
--   ceil(p n / 100), counted from 1), and tokens. `p95_least` and `p95_most` are the 95th percentile had the trials
--   that did not say answered at once, and never: null where that is no known value.
WITH ranked AS (
  SELECT
    latency,
    row_number() OVER (ORDER BY latency NULLS LAST) AS place,
    count(*) OVER () AS asked,
    count(latency) OVER () AS said
  FROM trials
  WHERE state <> 'error'
)
SELECT
  count(*) AS answered,
  count(latency) AS reported,
  max(latency) FILTER (WHERE place = (50 * said + 99) // 100) AS p50,
  max(latency) FILTER (WHERE place = (95 * said + 99) // 100) AS p95,
  max(latency) FILTER (WHERE place = (95 * asked + 99) // 100 - (asked - said)) AS p95_least,
  max(latency) FILTER (WHERE place = (95 * asked + 99) // 100) AS p95_most,
  (SELECT avg(tokens) FROM trials) AS mean_tokens,
  (SELECT coalesce(sum(tokens), 0)::BIGINT FROM trials) AS total_tokens,
  (SELECT count(DISTINCT number) FROM trials WHERE rejected) AS rejected
FROM ranked
