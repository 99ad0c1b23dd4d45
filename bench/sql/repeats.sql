-- name: repeats
-- what: How many cases passed in so many of so many scored runs: what pass@k and pass^k are made of.
SELECT passed + failed AS runs, passed, count(*) AS cases
FROM case_values
WHERE kind = 'case'
GROUP BY ALL
ORDER BY ALL
