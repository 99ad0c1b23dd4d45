-- name: fates
-- what: Every group, kept where it meets no earlier one, open otherwise.
CREATE OR REPLACE TABLE fates AS
SELECT
  rank,
  any_value(group_id) AS group_id,
  CASE WHEN rank IN (SELECT later FROM collisions) THEN 'open' ELSE 'kept' END AS fate
FROM entries
GROUP BY rank
