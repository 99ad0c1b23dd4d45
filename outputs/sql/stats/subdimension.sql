-- name: subdimension
-- what: Records by subdimension, and how many of them stand in linkage groups.
WITH counted AS (
  SELECT
    dimension,
    subdimension AS name,
    count(*) AS records,
    count(*) FILTER (WHERE len(linked_prompt_ids) > 0) AS linked,
    string_agg(DISTINCT prompt_template_id, ', ' ORDER BY prompt_template_id) AS templates
  FROM records
  GROUP BY dimension, subdimension
),
weighed AS (
  SELECT *, sum(records) OVER () AS total, sum(records) OVER (PARTITION BY dimension) AS weight FROM counted
)
SELECT dimension, name, records, records / total AS share, linked, templates
FROM weighed
ORDER BY weight DESC, dimension, records DESC, name
