-- name: quota_findings
-- what: Quotas that are missed, in the columns that a criterion gives; one criterion an axis takes its rows.
CREATE OR REPLACE VIEW quota_findings AS
SELECT
  axis,
  name,
  origin,
  NULL::VARCHAR AS slot,
  NULL::BIGINT AS "row",
  found,
  required,
  format(
    '{} {} has {:,} records, {:+.2f} % from its target of {} (within {}: {:,} to {:,})',
    axis, name, n, deviation, target_text, allowed, low, high
  ) AS message
FROM quotas
WHERE missed
