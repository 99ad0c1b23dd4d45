-- name: enum-values
-- code: ES613
-- what: Dimension, subdimension, domain, geography, language, template, strategy and rubric are values of the plan.
-- why: A value that nobody planned is in no table of results.
-- mend: Assemble again; if the spec was changed since the release, compile and run.
-- needs: plan records
--: rows
WITH given AS (
  SELECT
    "row", shown, origin,
    unnest([
      {'field': 'dimension', 'value': dimension},
      {'field': 'subdimension', 'value': subdimension},
      {'field': 'source_domain', 'value': source_domain},
      {'field': 'geography', 'value': geography},
      {'field': 'language', 'value': language},
      {'field': 'prompt_template_id', 'value': prompt_template_id},
      {'field': 'adversarial_strategy', 'value': adversarial_strategy},
      {'field': 'rubric_type', 'value': pass_criteria.rubric_type}
    ], recursive := true)
  FROM placed
)
SELECT
  any_value(given.origin ORDER BY given.row) AS origin,
  any_value(given.shown ORDER BY given.row) AS slot,
  min(given.row) AS "row",
  given.value AS found,
  'a ' || given.field || ' of the plan' AS required,
  CASE WHEN count(*) = 1
    THEN format('{} has the {} ''{}'', which the plan does not have', any_value(given.shown), given.field, given.value)
    ELSE format('{:,} records have the {} ''{}'', which the plan does not have', count(*), given.field, given.value)
  END AS message
FROM given
ANTI JOIN allowed ON allowed.field = given.field AND allowed.value = given.value
WHERE given.value IS NOT NULL
GROUP BY given.field, given.value
ORDER BY "row", given.field
--: summary
SELECT
  'values of the plan' AS required,
  format('{:,} values in use', count(*)) AS found,
  '' AS note
FROM (
  SELECT DISTINCT
    unnest([dimension, subdimension, source_domain, geography, language, prompt_template_id, adversarial_strategy, pass_criteria.rubric_type])
      AS value
  FROM records
)
WHERE value IS NOT NULL
