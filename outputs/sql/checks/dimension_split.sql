-- name: dimension-split
-- code: ES602
-- what: Records of each dimension, against the count that `dimension_split` asks for.
-- why: Scores are read by dimension; a dimension that is short measures less than it claims.
-- mend: Run again to fill the open cells of the dimension, or change `dimension_split` and compile.
-- needs: plan records
-- fields: dimension
--: rows
SELECT
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
WHERE axis = 'dimension' AND missed
ORDER BY name
--: summary
SELECT
  'each within ' || any_value(allowed) || ' of its target' AS required,
  format('worst: {} {:+.2f} %', arg_max(name, abs(deviation)), arg_max(deviation, abs(deviation))) AS found,
  coalesce(
    'within a whole record or group of its target: '
      || string_agg(format('{} ({:,} of {})', name, n, target_text), ', ' ORDER BY name) FILTER (WHERE rounded),
    ''
  ) AS note
FROM quotas
WHERE axis = 'dimension'
