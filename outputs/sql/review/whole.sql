-- name: whole
-- what: How many records and groups there are, and how many groups were judged so far, by what came of it.
SELECT
  (SELECT count(*) FROM records) AS records,
  (SELECT count(DISTINCT group_id) FROM records) AS groups,
  count(*) FILTER (WHERE state = 'accepted') AS accepted,
  count(*) FILTER (WHERE state = 'rejected') AS rejected,
  count(*) FILTER (WHERE state = 'noted') AS noted,
  count(*) FILTER (WHERE state = 'remade') AS remade
FROM decisions
WHERE group_id IN (SELECT group_id FROM records)
