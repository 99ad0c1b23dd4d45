-- name: groups
-- what: One page of the groups that have a record under all filters: the page of `$chosen` where that is among them,
--   else page `$page`, or the last where there are fewer. `before` and `after` are the neighbors of each, over the
--   borders of pages.
WITH hits AS (
  SELECT group_id, min(place) AS place, arg_min("row", place) AS "row", any_value(coalesce(decisions.state, 'open')) AS state
  FROM records
  LEFT JOIN decisions USING (group_id)
  WHERE (NOT $searched OR "row" IN (SELECT "row" FROM found))
    AND coalesce(coalesce(decisions.state, 'open') = $verdict, true)
    AND coalesce(dimension = $dimension, true)
    AND coalesce(subdimension = $subdimension, true)
    AND coalesce(domain = $domain, true)
    AND coalesce(difficulty = $difficulty, true)
    AND coalesce(strategy = $strategy, true)
    AND coalesce(geography = $geography, true)
    AND coalesce(template = $template, true)
  GROUP BY group_id
),
ranked AS (
  SELECT
    *,
    row_number() OVER (ORDER BY place) - 1 AS number,
    lag(group_id) OVER (ORDER BY place) AS before,
    lead(group_id) OVER (ORDER BY place) AS after,
    count(*) OVER () AS total
  FROM hits
),
shown AS (
  SELECT coalesce(
    (SELECT number FROM ranked WHERE group_id = $chosen),
    least($page * $size, (SELECT count(*) FROM hits) - 1)
  ) // $size AS page
),
paged AS (
  SELECT ranked.*, shown.page FROM ranked, shown WHERE ranked.number // $size = shown.page
)
SELECT
  paged.*, records.opening, records.difficulty, records.domain, records.subdimension,
  (SELECT count(*) FROM records AS members WHERE members.group_id = paged.group_id) AS members
FROM paged
JOIN records ON records."row" = paged."row"
ORDER BY paged.number
