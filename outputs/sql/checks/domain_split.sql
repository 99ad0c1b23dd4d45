-- name: domain-split
-- code: ES603
-- what: Records of each domain, against its share of the dataset's own total.
-- why: A domain that weighs more than planned tilts every average taken over the dataset.
-- mend: Run again to fill the open cells of the domain, or change `domain_split` and compile.
-- needs: plan records
-- fields: source_domain
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
WHERE axis = 'domain' AND missed
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
WHERE axis = 'domain'
