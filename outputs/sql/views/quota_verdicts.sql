-- name: quota_verdicts
-- what: For each axis what is required of its quotas and how far off the worst is; one criterion an axis takes its row.
CREATE OR REPLACE VIEW quota_verdicts AS
SELECT
  axis,
  'each within ' || any_value(allowed) || ' of its target' AS required,
  format('worst: {} {:+.2f} %', arg_max(name, abs(deviation)), arg_max(deviation, abs(deviation))) AS found,
  coalesce(
    'within a whole record or group of its target: '
      || string_agg(format('{} ({:,} of {})', name, n, target_text), ', ' ORDER BY name) FILTER (WHERE rounded),
    ''
  ) AS note
FROM quotas
GROUP BY axis
