-- name: domain
-- what: Records by domain.
SELECT source_domain AS name, count(*) AS records, count(*) / sum(count(*)) OVER () AS share
FROM records
GROUP BY name
ORDER BY records DESC, name
