-- name: adversarial-coverage
-- code: ES605
-- what: Each hard record names a strategy and at least two expected failure modes.
-- why: A hard prompt without a strategy is not hard by design, and a grader needs the wrong answers to look for.
-- mend: Reject the record's group, so that the next run makes it again.
-- needs: records
-- fields: difficulty adversarial_strategy expected_failure_modes
--: rows
SELECT
  origin,
  shown AS slot,
  "row",
  CASE
    WHEN coalesce(trim(adversarial_strategy), '') = '' THEN 'no strategy'
    ELSE format('{} failure modes', coalesce(len(expected_failure_modes), 0))
  END AS found,
  'a strategy and 2 failure modes' AS required,
  CASE
    WHEN coalesce(trim(adversarial_strategy), '') = '' THEN format('the hard record {} has no adversarial strategy', shown)
    ELSE format(
      'the hard record {} has {} expected failure modes, at least 2 are required',
      shown, coalesce(len(expected_failure_modes), 0)
    )
  END AS message
FROM placed
WHERE difficulty = 'hard'
  AND (coalesce(trim(adversarial_strategy), '') = '' OR coalesce(len(expected_failure_modes), 0) < 2)
ORDER BY "row"
--: summary
SELECT
  'a strategy and 2 failure modes on every hard record' AS required,
  format(
    '{:,} of {:,} hard records',
    count(*) FILTER (WHERE coalesce(trim(adversarial_strategy), '') <> '' AND len(expected_failure_modes) >= 2),
    count(*)
  ) AS found,
  '' AS note
FROM records
WHERE difficulty = 'hard'
