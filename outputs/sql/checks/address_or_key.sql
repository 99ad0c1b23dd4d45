-- name: address-or-key
-- code: ES630
-- what: No text of a record, and no line of the card, holds a key or token; no record holds the address of a source.
-- why: A release is public. A key in it is lost, and an address leads past the licence of its source.
-- mend: Withdraw the key at its issuer; leave addresses out of the source's text, reject the record's group and run again.
-- needs: records
-- note: Addresses under example.com, example.org, example.net, .example, .test and .invalid are nobody's, and may stand.
--: rows
WITH texts AS (
  SELECT
    "row", shown, origin,
    unnest([
      {'field': 'prompt', 'text': prompt},
      {'field': 'expected_behavior', 'text': expected_behavior},
      {'field': 'reference_context', 'text': reference_context},
      {'field': 'expected_failure_modes', 'text': array_to_string(expected_failure_modes, chr(10))},
      {'field': 'pass_criteria', 'text': concat_ws(
        chr(10), pass_criteria.scoring_description, array_to_string(pass_criteria.hard_fail_conditions, chr(10)),
        pass_criteria.scoring_notes
      )}
    ], recursive := true)
  FROM placed
  UNION ALL
  SELECT NULL, 'the card', 'card', 'README.md', text FROM card_text
),
matched AS (
  SELECT
    *,
    regexp_extract(
      text,
      '(?:^|[^A-Za-z0-9_-])(sk-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}|'
        || 'xox[abprs]-[A-Za-z0-9-]{16,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|gsk_[A-Za-z0-9]{20,}|'
        || 'eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----)', 1
    ) AS key,
    CASE WHEN field = 'README.md' THEN [] ELSE regexp_extract_all(lower(text), '(?:https?://|\bwww\.)[^\s<>"'')\]]+') END AS urls
  FROM texts
  WHERE text IS NOT NULL
),
found AS (
  SELECT
    *,
    list_filter(urls, lambda url: NOT regexp_matches(url, '^(?:https?://)?(?:[^/]*\.)?(?:example\.(?:com|org|net)|example|test|invalid)(?:[:/?#.,;]|$)')) AS addresses
  FROM matched
)
SELECT
  origin,
  shown AS slot,
  "row",
  CASE WHEN key <> '' THEN left(key, 6) || '…' ELSE addresses[1] END AS found,
  'none' AS required,
  CASE WHEN key <> ''
    THEN format('{} of {} holds what looks like a key: {}…', field, shown, left(key, 6))
    ELSE format('{} of {} holds an address: {}', field, shown, left(addresses[1], 80)) END AS message
FROM found
WHERE key <> '' OR len(addresses) > 0
ORDER BY "row" NULLS FIRST, field
--: summary
SELECT
  'no key, no address' AS required,
  format('{:,} records and the card read', count(*)) AS found,
  '' AS note
FROM records
