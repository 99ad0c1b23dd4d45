-- name: domain-split
-- code: ES603
-- what: Records of each domain, against its share of the dataset's own total.
-- why: A domain that weighs more than planned tilts every average taken over the dataset.
-- mend: Run again to fill the open cells of the domain, or change `domain_split` and compile.
-- needs: plan records
-- fields: source_domain
--: rows
SELECT origin, slot, "row", found, required, message
FROM quota_findings
WHERE axis = 'domain'
ORDER BY name
--: summary
SELECT required, found, note
FROM quota_verdicts
WHERE axis = 'domain'
