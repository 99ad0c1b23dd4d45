-- name: answer-leak
-- code: ES628
-- what: The correct answer does not stand in what was written for a closed-book prompt.
-- why: A question that holds its answer measures reading, not knowledge.
-- mend: Reject the record's group, so that the next run makes it again.
-- needs: plan records filled
-- fields: id prompt
-- note: Answers are known from the journal, and replies are accepted by the same rule. Words are compared whole, with the
--   signs of their units. Left out are the template's own words, lettered options, templates whose answer is chosen from
--   what they show (`meta: {choices: true}`), prompts with an excerpt, and answers of one ordinary word (none, four).
--: rows
SELECT
  placed.origin,
  placed.shown AS slot,
  placed.row AS "row",
  left(leaks.answer, 60) AS found,
  'not in the prompt' AS required,
  format('the closed-book prompt of {} holds its answer: ''{}''', placed.shown, left(leaks.answer, 60)) AS message
FROM placed
JOIN leaks ON leaks.row = placed.row
ORDER BY placed.row
--: summary
SELECT
  'no answer in its own closed-book prompt' AS required,
  format('{:,} closed-book prompts with an answer', count(*)) AS found,
  '' AS note
FROM records
JOIN filled ON filled.id = records.id
WHERE filled.closed AND coalesce(filled.answer, '') <> ''
