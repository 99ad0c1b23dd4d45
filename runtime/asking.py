"""One group from open to filled or given up: draw a chunk, ask, judge, journal, and again."""

from dataclasses import replace

from evalspec.runtime.admission import Admission
from evalspec.runtime.budget import CHARS_PER_TOKEN, Budget
from evalspec.runtime.draw_chunk import ChunkDrawer, Drawn
from evalspec.runtime.events import Accepted, FillOptions, GivenUp, Rejected, Throttled
from evalspec.runtime.history import History, Rules, after
from evalspec.runtime.journaling import JournalWriter
from evalspec.runtime.patience import lose_patience, note
from evalspec.runtime.prompt import SYSTEM, build_prompt
from evalspec.runtime.providers import BusyError, GroupRequest, Provider, Reply, ReplyError
from evalspec.runtime.reading import MAX_CHARS
from evalspec.runtime.retry import with_retries
from evalspec.runtime.run_state import RunState, StoppingError
from evalspec.runtime.shapes import Shape, Shapes
from evalspec.runtime.spending import Hold, Purse
from evalspec.runtime.validate import Verdict, judge
from evalspec.spec.dataclass import dataclass
from evalspec.spec.fingerprint import digest_of, digest_of_row
from evalspec.spec.journal import AttemptLine, Outcome, Usage
from evalspec.spec.plan import Group, Plan

CUT_OFF = "the reply was cut off before its end; write shorter texts"


@dataclass(frozen=True, slots=True, repr=False)
class Tools:
    """What the filling of a group needs; all of it is shared between groups."""

    plan: Plan
    provider: Provider
    drawer: ChunkDrawer
    shapes: Shapes
    writer: JournalWriter
    admission: Admission
    budget: Budget
    purse: Purse
    options: FillOptions
    forms: dict[str, str]
    state: RunState

    @property
    def rules(self) -> Rules:
        """How often a group is asked."""
        return Rules(self.options.reasks, self.options.chunks)

    @property
    def embedded(self) -> bool:
        """Whether replies are composed here: then no prompt is built and nothing is waited for."""
        return self.provider.name == "embedded"


async def fill_group(tools: Tools, group: Group, history: History) -> History | None:
    """Ask until the group is filled or given up.

    Gives None then, and the history so far where the group must wait its turn again or the run stops.
    Raises RefusedError, JournalError.
    """
    shape = tools.shapes.of(group)
    if history.replies:
        if _accept_again(tools, group, shape, history):
            return None
        history = replace(history, replies=())
    chunks = tools.drawer.size(group)
    tried = False
    while not tools.state.stop.is_set():
        drawn = tools.drawer.draw(group, history.step)
        if drawn is None or history.exhausted(tools.rules, chunks):
            errors = history.first_errors if drawn else ("no source gave any text",)
            _give_up(tools, group, errors or ("it was given up in an earlier run",), tried=tried or drawn is None)
            return None
        tried = True
        asked = await _ask(tools, group, shape, drawn, history)
        if asked is None:
            return history
        outcome, errors = asked
        if outcome == "accepted":
            return None
        history = after(history, history.attempts + 1, outcome, errors, tools.rules)
    return history


def _accept_again(tools: Tools, group: Group, shape: Shape, history: History) -> bool:
    """Judge replies that were refused once more, as what is accepted may have changed; nothing is asked."""
    for line in history.replies:
        chunk = tools.drawer.by_digest.get(line.chunk or "")
        if chunk is None or line.reply is None:
            continue
        verdict = judge(tools.plan, group, shape, chunk, line.reply)
        if verdict.slots:
            again = {"attempt": history.attempts + 1, "outcome": "accepted", "errors": (), "slots": verdict.slots}
            _accept(tools, group, line.model_copy(update=again | {"usage": Usage()}))
            return True
    return False


async def _ask(
    tools: Tools, group: Group, shape: Shape, drawn: Drawn, history: History
) -> tuple[Outcome, tuple[str, ...]] | None:
    """One reply, judged and journalled; None where none came and the group waits its turn again."""
    prompt = ""
    if not tools.embedded:
        prompt = build_prompt(tools.plan, group, shape, drawn.chunk, history.attempts + 1, history.errors)
    asking = _Asking(tools, group, shape, drawn, history, prompt)
    try:
        reply = await asking.reply()
    except StoppingError:
        return None
    except BusyError as error:
        asking.unanswered(error)
        asking.journal("unreachable", (str(error)[:400],))
        return None
    except ReplyError as error:
        tools.state.reached = True
        outcome: Outcome = "no_chunk" if error.unfit else "refused"
        errors: tuple[str, ...] = (str(error)[:400],)
        asking.journal(outcome, errors)
        return outcome, errors
    tools.state.count(reply.usage)
    outcome, verdict = _verdict(asking, reply)
    line = asking.journal(outcome, verdict.errors, reply, verdict)
    if line is not None:
        _accept(tools, group, line)
    return outcome, verdict.errors


def _verdict(asking: "_Asking", reply: Reply) -> tuple[Outcome, Verdict]:
    match reply.finish:
        case "length":
            return "cut_off", Verdict(errors=(CUT_OFF,))
        case "refusal":
            return "refused", Verdict(errors=("the model refused to answer",))
        case "stop":
            tools = asking.tools
            verdict = judge(tools.plan, asking.group, asking.shape, asking.drawn.chunk, reply.text)
            return ("accepted" if verdict.slots else "invalid"), verdict


@dataclass(frozen=True, slots=True, repr=False)
class _Asking:
    """One attempt of one group."""

    tools: Tools
    group: Group
    shape: Shape
    drawn: Drawn
    history: History
    prompt: str
    """Empty for the embedded provider, which reads none."""

    @property
    def attempt(self) -> int:
        return self.history.attempts + 1

    @property
    def max_tokens(self) -> int:
        return self.tools.plan.generation_model.max_tokens * len(self.group.slots) * self.history.room

    async def reply(self) -> Reply:
        """The provider's reply. Raises what a provider raises, and StoppingError."""
        tools = self.tools
        request = GroupRequest(
            tools.plan,
            self.group,
            self.drawn.chunk,
            self.attempt,
            self.drawn.number,
            self.shape.schema,
            self.max_tokens,
            self.history.desperate(tools.drawer.size(self.group)),
        )
        client = tools.provider.client(request)
        if tools.embedded:
            free = None if tools.purse.free else await tools.purse.take(0, 0)
            return await tools.purse.within(free, lambda: client.generate("", ""))
        key = f"{self.group.group_id} {self.attempt}"
        hold: Hold | None = None

        async def before() -> None:
            nonlocal hold
            hold = await self._wait_for_room()

        async def send() -> Reply:
            if tools.state.stop.is_set():
                raise StoppingError
            return await client.generate(self.prompt, SYSTEM)

        async def call() -> Reply:
            return await tools.purse.within(hold, send)

        return await with_retries(call, tools.admission, self._waiting, key, tools.state.sleep, before)

    async def _wait_for_room(self) -> Hold | None:
        """Wait for a turn under the limits a minute, and for room under the caps. Raises StoppingError, SpentError."""
        tools = self.tools
        if not tools.budget.free:
            await tools.state.sleep(tools.budget.take(len(self.prompt) // CHARS_PER_TOKEN + self.max_tokens))
        if tools.purse.free:
            return None
        return await tools.purse.take(len(self.prompt) + len(SYSTEM) + self.shape.schema_chars, self.max_tokens)

    def _waiting(self, error: BusyError, seconds: float) -> None:
        tools = self.tools
        reason = self.unanswered(error)
        held = tools.admission.held()
        tools.state.events(Throttled(str(error)[:200], max(seconds, held), int(tools.admission.limit)))
        if held:  # a group may wait long for the end of its tries
            lose_patience(tools.plan, tools.provider.name, tools.state, tools.options.patience, reason)

    def unanswered(self, error: BusyError) -> str:
        """Note why no reply came; gives it in words."""
        tools = self.tools
        note(tools.state, error, tools.options.patience)
        reason = tools.state.reasons[self.group.group_id] = f"the provider gave no reply: {error}"
        return reason

    def request(self) -> str:
        """The digest of what is asked."""
        plan, chunk = self.tools.plan, self.drawn.chunk
        if self.tools.embedded:
            form = self.tools.forms[self.group.group_id]
            return digest_of(["embedded", self.group.fingerprint, chunk.digest, self.attempt, form])
        temperature = plan.generation_model.temperature
        model = self.tools.provider.model
        return digest_of_row([model, self.prompt, SYSTEM, self.shape.schema_digest, temperature, self.max_tokens])

    def journal(
        self, outcome: Outcome, errors: tuple[str, ...], reply: Reply | None = None, verdict: Verdict | None = None
    ) -> AttemptLine | None:
        """Write the attempt down, or give the line back where it was accepted."""
        tools = self.tools
        line = AttemptLine(
            group=self.group.group_id,
            attempt=self.attempt,
            fingerprint=self.group.fingerprint,
            provider=tools.provider.name,
            model=tools.provider.model,
            form=tools.forms.get(self.group.group_id),
            chunk=self.drawn.chunk.digest,
            served=self.drawn.served,
            request=self.request(),
            reply=_kept(reply.text) if reply else None,
            usage=reply.usage if reply else Usage(),
            outcome=outcome,
            errors=errors,
            slots=verdict.slots if verdict else (),
        )
        if outcome == "accepted":
            return line
        tools.writer.append(line)
        if outcome != "unreachable":
            slots = [slot.slot_id for slot in self.group.slots]
            entry = {"group": line.group, "slots": slots, "attempt": line.attempt, "outcome": outcome, "errors": errors}
            tools.writer.note_errors(entry | {"chunk": line.chunk, "provider": line.provider, "model": line.model})
            tools.state.events(Rejected(line.group, line.attempt, errors))
        return None


def _kept(text: str) -> str:
    """A reply as the journal keeps it: whole, unless it is longer than what is read."""
    return text if len(text) <= MAX_CHARS else text[: MAX_CHARS // 10]


def _accept(tools: Tools, group: Group, line: AttemptLine) -> None:
    tools.writer.append(line)
    tools.state.accepted += 1
    tools.state.reasons.pop(group.group_id, None)
    tools.state.served.append((group, line.served or "cell"))
    tools.state.chunks[group.group_id] = line.chunk or ""
    tools.state.events(Accepted(group.group_id, group.slots[0].dimension, len(group.slots)))


def _give_up(tools: Tools, group: Group, errors: tuple[str, ...], *, tried: bool) -> None:
    """Leave the group open; it counts as given up where this call tried it, and not an earlier one."""
    tools.state.given_up += tried
    tools.state.reasons[group.group_id] = f"given up: {errors[0]}"
    tools.state.events(GivenUp(group.group_id, group.slots[0].dimension, errors))
