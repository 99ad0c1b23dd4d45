-- name: load
-- what: The records that are reviewed, in the order of the plan, with the group that each belongs to.
-- why: Without a plan a group is its linked records, named after the smallest id, in the order of the file.
CREATE TABLE records AS
SELECT
  coalesce(places.group_id, least(arrived.id, list_min(arrived.linked_prompt_ids))) AS group_id,
  coalesce(places.position, arrived.file_row_number) AS place,
  arrived.file_row_number + 1 AS "row",
  arrived.* EXCLUDE (file_row_number),
  arrived.source_domain AS domain,
  coalesce(arrived.adversarial_strategy, '(none)') AS strategy,
  arrived.prompt_template_id AS template,
  lower(concat_ws(chr(10), arrived.prompt, arrived.expected_behavior)) AS sought,
  -- what tells prompts apart in a list: the last paragraph, less the passage that it shows
  left(regexp_replace(string_split(replace(arrived.prompt, coalesce(arrived.reference_context, ''), ''), chr(10) || chr(10))[-1], '\s+', ' ', 'g'), 200) AS opening
FROM arrived
LEFT JOIN places ON places.record_id = arrived.id
