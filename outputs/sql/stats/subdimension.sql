-- name: subdimension
-- what: Records by subdimension, and how many of them stand in linkage groups.
SELECT
  dimension,
  subdimension AS name,
  count(*) AS records,
  count(*) / sum(count(*)) OVER () AS share,
  count(*) FILTER (WHERE len(linked_prompt_ids) > 0) AS linked,
  string_agg(DISTINCT prompt_template_id, ', ' ORDER BY prompt_template_id) AS templates
FROM records
GROUP BY ALL
ORDER BY sum(count(*)) OVER (PARTITION BY dimension) DESC, dimension, records DESC, name
