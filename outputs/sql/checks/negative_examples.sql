-- name: negative-examples
-- code: ES627
-- what: Each template of the plan has at least two negative examples, with a bad response and the reason.
-- why: The generation model is told what to avoid by them; without them prompts come out easier.
-- mend: Add negative examples to the template, compile and run.
-- needs: plan
-- note: Compiling refuses such a template (ES301, ES302); here it is shown with the other criteria of a release.
--: rows
SELECT
  origin,
  id AS slot,
  NULL::BIGINT AS "row",
  format('{} negative examples', negative_examples) AS found,
  'at least 2' AS required,
  format('template {} has {} negative examples, at least 2 are required', id, negative_examples) AS message
FROM templates
WHERE negative_examples < 2
ORDER BY id
--: summary
SELECT
  'at least 2 a template' AS required,
  format('{} at least, in {} templates', coalesce(min(negative_examples), 0), count(*)) AS found,
  '' AS note
FROM templates
