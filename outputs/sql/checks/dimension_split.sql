-- name: dimension-split
-- code: ES602
-- what: Records of each dimension, against the count that `dimension_split` asks for.
-- why: Scores are read by dimension; a dimension that is short measures less than it claims.
-- mend: Run again to fill the open cells of the dimension, or change `dimension_split` and compile.
-- needs: plan records
-- fields: dimension
--: rows
SELECT origin, slot, "row", found, required, message
FROM quota_findings
WHERE axis = 'dimension'
ORDER BY name
--: summary
SELECT required, found, note
FROM quota_verdicts
WHERE axis = 'dimension'
