-- name: difficulty-split
-- code: ES604
-- what: Records of each difficulty, against its share of the dataset's own total.
-- why: With too many easy prompts strong models cannot be told apart.
-- mend: Run again to fill the open cells, or change `difficulty_split` and compile.
-- needs: plan records
-- fields: difficulty
--: rows
SELECT origin, slot, "row", found, required, message
FROM quota_findings
WHERE axis = 'difficulty'
ORDER BY name
--: summary
SELECT required, found, note
FROM quota_verdicts
WHERE axis = 'difficulty'
