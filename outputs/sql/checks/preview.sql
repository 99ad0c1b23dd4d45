-- name: preview
-- code: ES626
-- what: Whether the dataset was composed from a corpus by the embedded provider, without a model.
-- why: Such a dataset shows the shape of the real one; its prompts come from forms, and are less varied than a model's.
-- mend: Name a provider with a model in `generation_model`, if there is none yet, and run it with that provider:
--   `evalspec run plan.json`.
-- needs: provenance
--: rows
SELECT
  'generation_model' AS origin,
  NULL::VARCHAR AS slot,
  NULL::BIGINT AS "row",
  'composed' AS found,
  'a model' AS required,
  'the dataset is a preview: it was composed without a model' AS message
FROM settings
WHERE preview
--: summary
SELECT
  'written by a model' AS required,
  CASE WHEN preview THEN 'composed without a model' WHEN preview IS NULL THEN 'not said' ELSE 'written by a model' END AS found,
  CASE WHEN preview THEN 'preview' ELSE '' END AS note
FROM settings
