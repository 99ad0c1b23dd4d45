"""The pages of the findings about targets (ES73x): what, why, example, and what to do."""

PAGES: dict[str, str] = {
    "ES730": """**What it is.** What `--target` names is neither a file nor a target in short form, or the file holds no
settings of a target.

**Why it matters.** A misspelt target must not be taken for another one.

**Example.** `--target app.bot:answer`, which lacks the kind.

**Instead.** Name a YAML file, or write `http://HOST/PATH`, `python:MODULE:FUNCTION`, `command:PROGRAM`,
`recorded:FILE.jsonl`, `PROVIDER:MODEL` or `PROVIDER:MODEL@URL`.""",
    "ES731": """**What it is.** The settings of a target can be read, and no target can be made of them: a prompt, a
module, a program or a recording is not there, an address is none, or a schema is no JSON Schema.

**Why it matters.** Every case would fail for the same reason; nothing is asked before it is mended.

**Example.** `there is no module bot in /home/ann/support`.

**Instead.** Files are looked for from the folder of the target's file, or from where `evalspec` was started if the
target is in short form. Mend the name, or start elsewhere.""",
    "ES732": """**What it is.** A variable that a target's address or header names is not set; or a header that bears a
key holds it in the file.

**Why it matters.** Keys come from the environment or from `.env` where you start the command, and are never written
anywhere; a file is shared.

**Example.** `Authorization: Bearer ${BOT_TOKEN}` while `BOT_TOKEN` is not set.

**Instead.** Write `${NAME}` in the header, and set the variable or put it in `.env`.""",
    "ES733": """**What it is.** The target has no prompt of the version that `--prompt-version` or `prompt_version`
names, or it has several and none is named.

**Why it matters.** A figure is a figure of one prompt; asking with another one, or with none, would say nothing of it.

**Example.** `--prompt-version v4` where `prompts` has v1 to v3.

**Instead.** Name one that is there, or add it under `prompts`.""",
    "ES736": """**What it is.** `map` says where the text of an answer stands, and no answer of the run has one there;
all of them called tools, which an answer without a text may do.

**Why it matters.** A path that is misspelt looks the same: every check of the text would be of an empty one.

**Example.** `map: {text: reply.txt, tool_calls: steps}` for answers such as
`{"reply": {"text": "..."}, "steps": ["find"]}`.

**Instead.** Look at an answer of the target and mend the path; where its answers have no text, leave `text` out.""",
    "ES735": """**What it is.** A line of recorded answers cannot be read, does not say which case it answers, answers a
turn for the second time, or has no answer under a name that is known.

**Why it matters.** An answer that is passed over in silence would be scored as missing, and of two answers one would
be scored by chance.

**Example.** `{"text": "Within 7 days."}`, without `case_id`.

**Instead.** Write one JSON object a line: `{"case_id": "ret-ae-01", "text": "Within 7 days."}`, with `turn` (from 0)
and `epoch` (from 1) where there are several. An answer that is an object, as of a classifier, stands under
`output`.""",
}
