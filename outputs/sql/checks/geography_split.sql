-- name: geography-split
-- code: ES617
-- what: Records of each geography, against its share of the dataset's own total.
-- why: A jurisdiction with too few records cannot be reported by itself.
-- mend: Run again to fill the open cells, or change `geography_split` and compile.
-- needs: plan records
-- fields: geography
--: rows
SELECT origin, slot, "row", found, required, message
FROM quota_findings
WHERE axis = 'geography'
ORDER BY name
--: summary
SELECT required, found, note
FROM quota_verdicts
WHERE axis = 'geography'
