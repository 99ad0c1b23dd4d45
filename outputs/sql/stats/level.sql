-- name: level
-- what: Records by dimension and difficulty.
WITH counted AS (
  SELECT dimension, difficulty, count(*) AS records, sum(count(*)) OVER (PARTITION BY dimension) AS weight
  FROM records
  GROUP BY dimension, difficulty
)
SELECT dimension, difficulty, records
FROM counted
ORDER BY weight DESC, dimension, difficulty
