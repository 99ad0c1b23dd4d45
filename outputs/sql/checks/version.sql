-- name: version
-- code: ES625
-- what: All records have one version: the plan's, or under incremental a later patch of it.
-- why: Results are reported by version; two versions in one file cannot be told apart afterwards.
-- mend: Assemble again, or set `dataset.version`.
-- needs: records
-- fields: version
--: rows
WITH given AS (
  SELECT version, count(*) AS n, min("row") AS "row" FROM records WHERE version IS NOT NULL GROUP BY version
),
judged AS (
  SELECT
    given.*, settings.version AS planned, settings.has_plan,
    (SELECT count(*) FROM given) AS kinds,
    (SELECT arg_max(version, n) FROM given) AS most,
    given.version = settings.version
      OR (
        settings.incremental
        AND regexp_full_match(given.version, '\d+\.\d+\.\d+')
        AND regexp_extract(given.version, '^\d+\.\d+\.') = regexp_extract(settings.version, '^\d+\.\d+\.')
        AND try_cast(regexp_extract(given.version, '\d+$') AS BIGINT) >= try_cast(regexp_extract(settings.version, '\d+$') AS BIGINT)
      ) AS fits
  FROM given, settings
)
SELECT
  'dataset.version' AS origin,
  NULL::VARCHAR AS slot,
  "row",
  version AS found,
  coalesce(planned, most) AS required,
  format('{:,} records have version {}, {} is required', n, version, CASE WHEN has_plan AND NOT fits THEN planned ELSE most END) AS message
FROM judged
WHERE (has_plan AND NOT fits) OR (kinds > 1 AND version <> most)
ORDER BY "row"
--: summary
SELECT
  coalesce((SELECT version || CASE WHEN incremental THEN ' or a later patch' ELSE '' END FROM settings), 'one version') AS required,
  coalesce(string_agg(DISTINCT version, ', ' ORDER BY version), 'none') AS found,
  '' AS note
FROM records
