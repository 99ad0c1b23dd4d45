-- name: slot-match
-- code: ES619
-- what: Each record is a slot of the plan and has what the slot says: cell, template, strategy, rubric.
-- why: The plan decides what a record is about; a record that differs moves a quota without a trace.
-- mend: Assemble again; if the spec was changed since the release, compile and run.
-- needs: plan records
-- fields: id
-- note: Values that the plan does not have at all are ES613, ids that are no UUID v4 or stand twice are ES612.
--: rows
WITH sole AS (
  SELECT placed.* FROM placed
  WHERE placed.id IN (SELECT id FROM records GROUP BY id HAVING count(*) = 1)
),
compared AS (
  SELECT
    sole.row, sole.shown, sole.origin, sole.difficulty AS level, sole.adversarial_strategy AS strategy,
    unnest([
      {'field': 'dimension', 'given': sole.dimension, 'planned': slots.dimension},
      {'field': 'subdimension', 'given': sole.subdimension, 'planned': slots.subdimension},
      {'field': 'source_domain', 'given': sole.source_domain, 'planned': slots.source_domain},
      {'field': 'geography', 'given': sole.geography, 'planned': slots.geography},
      {'field': 'difficulty', 'given': sole.difficulty, 'planned': slots.difficulty},
      {'field': 'prompt_template_id', 'given': sole.prompt_template_id, 'planned': slots.template_id},
      {'field': 'adversarial_strategy', 'given': sole.adversarial_strategy, 'planned': slots.adversarial_strategy},
      {'field': 'is_adversarial', 'given': sole.is_adversarial::VARCHAR, 'planned': slots.is_adversarial::VARCHAR},
      {'field': 'rubric_type', 'given': sole.pass_criteria.rubric_type, 'planned': templates.rubric_type},
      {
        'field': 'min_passing_score',
        'given': sole.pass_criteria.min_passing_score::VARCHAR,
        'planned': templates.min_passing_score::VARCHAR
      }
    ], recursive := true)
  FROM sole
  JOIN slots ON slots.slot_id = sole.slot_id
  JOIN templates ON templates.id = slots.template_id
)
SELECT
  origin,
  shown AS slot,
  "row",
  given AS found,
  planned AS required,
  format('{} has {} {}, its slot says {}', shown, field, coalesce(given, 'null'), coalesce(planned, 'null')) AS message
FROM compared
WHERE given IS DISTINCT FROM planned
  AND given IS NOT NULL
  AND (
    field IN ('is_adversarial', 'min_passing_score')
    OR (field = 'difficulty' AND given IN ('easy', 'medium', 'hard'))
    OR EXISTS (SELECT 1 FROM allowed WHERE allowed.field = compared.field AND allowed.value = given)
  )
  AND NOT (field = 'adversarial_strategy' AND planned IS NULL)
UNION ALL
SELECT
  NULL,
  shown,
  "row",
  id,
  'an id of the plan',
  format('the record {} in row {} is no slot of the plan', id, "row")
FROM sole
WHERE slot_id IS NULL
  AND regexp_full_match(id, '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}')
ORDER BY "row", message
--: summary
SELECT
  'every record as its slot says' AS required,
  format('{:,} of {:,} records have a slot', count(slot_id), count(*)) AS found,
  '' AS note
FROM placed
