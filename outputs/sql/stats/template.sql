-- name: template
-- what: Records by template.
SELECT prompt_template_id AS name, count(*) AS records
FROM records
GROUP BY name
ORDER BY name
