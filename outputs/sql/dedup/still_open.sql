-- name: still-open
-- what: How many groups have no fate yet.
SELECT count(*) AS open FROM fates WHERE fate = 'open'
