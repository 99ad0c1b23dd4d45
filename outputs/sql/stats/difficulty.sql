-- name: difficulty
-- what: Records by difficulty, from easy to hard.
SELECT difficulty AS name, count(*) AS records, count(*) / sum(count(*)) OVER () AS share
FROM records
GROUP BY difficulty
ORDER BY array_position(['easy', 'medium', 'hard'], difficulty)
