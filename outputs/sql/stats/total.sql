-- name: total
-- what: The dataset as a whole.
SELECT
  count(*) AS records,
  count(*) FILTER (WHERE is_adversarial) AS adversarial,
  count(reference_context) AS open_book,
  count(*) FILTER (WHERE len(linked_prompt_ids) > 0) AS linked,
  coalesce(max(length(prompt)), 0) AS longest,
  coalesce(median(length(prompt))::BIGINT, 0) AS median
FROM records
