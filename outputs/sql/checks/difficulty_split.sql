-- name: difficulty-split
-- code: ES604
-- what: Records of each difficulty, against its share of the dataset's own total.
-- why: With too many easy prompts strong models cannot be told apart.
-- mend: Run again to fill the open cells, or change `difficulty_split` and compile.
-- needs: plan records
-- fields: difficulty
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
WHERE axis = 'difficulty' AND missed
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
WHERE axis = 'difficulty'
