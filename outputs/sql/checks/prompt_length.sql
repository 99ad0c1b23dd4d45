-- name: prompt-length
-- code: ES611
-- what: Each prompt is shorter than `acceptance.max_prompt_chars` characters.
-- why: Models with a small context must be able to read every prompt whole.
-- mend: Ask for shorter excerpts in the template's fields, and run again.
-- needs: records
-- fields: prompt
--: rows
SELECT
  origin,
  shown AS slot,
  "row",
  format('{:,} characters', length(prompt)) AS found,
  format('under {:,}', max_prompt_chars) AS required,
  format('the prompt of {} has {:,} characters, fewer than {:,} are required', shown, length(prompt), max_prompt_chars) AS message
FROM placed, settings
WHERE length(prompt) >= max_prompt_chars
ORDER BY "row"
--: summary
SELECT
  format('under {:,} characters', any_value(max_prompt_chars)) AS required,
  format('longest: {:,}', coalesce(max(length(prompt)), 0)) AS found,
  '' AS note
FROM records, settings
