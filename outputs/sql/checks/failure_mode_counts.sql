-- name: failure-mode-counts
-- code: ES614
-- what: Easy records name no failure modes, medium and hard ones at most four.
-- why: Failure modes are what graders look for; a list without end is a guess.
-- mend: Reject the record's group, so that the next run makes it again.
-- needs: records
-- fields: difficulty expected_failure_modes
-- note: That a hard record has at least two is ES605.
--: rows
SELECT
  origin,
  shown AS slot,
  "row",
  format('{} failure modes', len(expected_failure_modes)) AS found,
  CASE difficulty WHEN 'easy' THEN 'none' ELSE 'at most 4' END AS required,
  format(
    'the {} record {} has {} expected failure modes, {} accepted',
    difficulty, shown, len(expected_failure_modes), CASE difficulty WHEN 'easy' THEN 'none is' ELSE 'at most 4 are' END
  ) AS message
FROM placed
WHERE (difficulty = 'easy' AND len(expected_failure_modes) > 0)
  OR (difficulty IN ('medium', 'hard') AND len(expected_failure_modes) > 4)
ORDER BY "row"
--: summary
SELECT
  'easy 0, medium 0 to 4, hard at most 4' AS required,
  format(
    'easy {}, medium {}, hard {} at most',
    coalesce(max(len(expected_failure_modes)) FILTER (WHERE difficulty = 'easy'), 0),
    coalesce(max(len(expected_failure_modes)) FILTER (WHERE difficulty = 'medium'), 0),
    coalesce(max(len(expected_failure_modes)) FILTER (WHERE difficulty = 'hard'), 0)
  ) AS found,
  '' AS note
FROM records
