-- name: flips
-- what: Cases that passed in one run and failed in another.
SELECT number
FROM case_values
WHERE kind = 'case' AND passed > 0 AND failed > 0
ORDER BY number
