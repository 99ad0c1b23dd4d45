-- name: strategy
-- what: Hard records by adversarial strategy.
SELECT adversarial_strategy AS name, count(*) AS records, count(*) / sum(count(*)) OVER () AS share
FROM records
WHERE adversarial_strategy IS NOT NULL
GROUP BY name
ORDER BY records DESC, name
