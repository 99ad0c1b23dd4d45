-- name: guidance-leak
-- code: ES629
-- what: No prompt holds what only the generation model was told: instructions, negative examples, strategies, field names.
-- why: Such a prompt was copied rather than written, and tells the model under test what it is tested for.
-- mend: Reject the record's group, so that the next run makes it again.
-- needs: plan records
-- fields: prompt prompt_template_id
-- note: Sentences of at least 40 characters count, less their placeholders, and negative examples of at least 25. A
--   dataset that was composed without a model was told nothing: a question that it shares with an example is chance.
--: rows
WITH plain AS (
  SELECT "row", shown, origin, prompt_template_id, regexp_replace(lower(prompt), '\s+', ' ', 'g') AS words
  FROM placed
)
SELECT
  any_value(plain.origin) AS origin,
  any_value(plain.shown) AS slot,
  plain.row AS "row",
  any_value(guidance.kind) AS found,
  'none of it' AS required,
  format(
    'the prompt of {} holds {}: ''{}''',
    any_value(plain.shown), first(guidance.kind ORDER BY guidance.text), left(first(guidance.text ORDER BY guidance.text), 60)
  ) AS message
FROM plain
JOIN guidance ON guidance.template_id = plain.prompt_template_id AND contains(plain.words, guidance.text)
WHERE guidance.kind <> 'a negative example' OR NOT coalesce((SELECT preview FROM settings), false)
GROUP BY plain.row
ORDER BY plain.row
--: summary
SELECT
  'no instruction or negative example in a prompt' AS required,
  format('{:,} texts looked for in {:,} prompts', (SELECT count(*) FROM guidance), count(*)) AS found,
  '' AS note
FROM records
