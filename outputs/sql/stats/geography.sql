-- name: geography
-- what: Records by geography.
SELECT geography AS name, count(*) AS records, count(*) / sum(count(*)) OVER () AS share
FROM records
GROUP BY name
ORDER BY records DESC, name
