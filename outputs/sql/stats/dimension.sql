-- name: dimension
-- what: Records by dimension.
SELECT dimension AS name, count(*) AS records, count(*) / sum(count(*)) OVER () AS share
FROM records
GROUP BY name
ORDER BY records DESC, name
