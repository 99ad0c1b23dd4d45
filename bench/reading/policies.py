"""The policies file of a support set: country to topic to the text that a judge holds an answer against."""

from pathlib import Path

from evalspec.bench.reading.common import relative
from evalspec.bench.reading.files import read_document
from evalspec.bench.reading.gathered import Gathered
from evalspec.bench.reading.parts import Part
from evalspec.compiler.rules.es101_unknown_key import nearest
from evalspec.compiler.rules.es103_wrong_type import wrong_type
from evalspec.spec.dataclass import dataclass
from evalspec.spec.diagnostic import found

NAME = "policies.json"
LOOKED_IN = (NAME, f"../app/{NAME}")
"""Where it lies if nobody says: beside the set, or in the folder of the system under test."""


@dataclass(frozen=True, slots=True)
class Policies:
    """The policies by country and topic; `there` is False where no file was found."""

    texts: dict[str, dict[str, str]]
    there: bool
    file: str


def read_policies(folder: Path, given: Path | None, root: Path, gathered: Gathered) -> Policies:
    """The policies for the sets in `folder`; findings of the file are added to `gathered`."""
    path = given or next((folder / name for name in LOOKED_IN if (folder / name).is_file()), None)
    if path is None:
        return Policies({}, False, NAME)
    name = relative(path, root)
    part = read_document(path, name, gathered)
    if digest := gathered.files.pop(name, ""):
        gathered.files[f"policies:{NAME}"] = digest  # what the digest of a suite hangs on is not where the file lies
    if part is None:
        return Policies({}, True, name)
    if not isinstance(part.data, dict):
        gathered.add(wrong_type("", "an object of countries", part.data, "", part.place()))
        return Policies({}, True, name)
    return Policies({country: _topics(part.sub(country), gathered) for country in part.data}, True, name)


def _topics(part: Part, gathered: Gathered) -> dict[str, str]:
    country = str(part.prefix[-1])
    if not isinstance(part.data, dict):
        gathered.add(wrong_type(country, "an object of topics", part.data, str(part.data), part.place()))
        return {}
    out = {}
    for topic, text in part.data.items():
        if isinstance(text, str) and text.strip():
            out[topic] = text
        else:
            name = f"{country}.{topic}"
            gathered.add(wrong_type(name, "the text of a policy", text, str(text), part.place(topic)))
    return out


def policy_of(part: Part, country: str | None, topic: str | None, policies: Policies, gathered: Gathered) -> str | None:
    """The policy that a case is judged by; None with a finding."""
    lacks = [key for key, value in (("country", country), ("topic", topic)) if not value]
    if lacks or not country or not topic:
        message = f"judge_policy needs {' and '.join(lacks)}, to find the policy by"
        gathered.add(found("ES714", message, part.key_place("judge_policy")))
        return None
    if not policies.there:
        message = "judge_policy needs a policies file, and there is none"
        hint = f"write {' or '.join(LOOKED_IN)} beside the set, as country, topic, text; or name one with --policies"
        gathered.add(found("ES714", message, part.key_place("judge_policy"), hint=hint))
        return None
    topics = policies.texts.get(country)
    if topics is None:
        near = nearest(country, policies.texts)
        hint = f"did you mean {near}?" if near else f"it has {', '.join(policies.texts) or 'none'}"
        gathered.add(found("ES714", f"{policies.file} has no country {country}", part.place("country"), hint=hint))
        return None
    if topic not in topics:
        near = nearest(topic, topics)
        hint = f"did you mean {near}?" if near else f"{country} has {', '.join(topics) or 'none'}"
        message = f"{policies.file} has no policy on {topic} in {country}"
        gathered.add(found("ES714", message, part.place("topic"), hint=hint))
        return None
    return topics[topic]
