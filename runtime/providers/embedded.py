"""The embedded provider: replies composed from facts by the forms of templates; no key, no network, no model."""

import json
from collections import OrderedDict

from evalspec.runtime.chunks import Chunk
from evalspec.runtime.composer.compose import NoFormError, Turn, compose_reply
from evalspec.runtime.composer.material import Material, material_of
from evalspec.runtime.providers import GroupRequest, Reply, ReplyError
from evalspec.spec.dataclass import dataclass
from evalspec.spec.journal import Usage
from evalspec.spec.plan import Plan

COMPOSER_VERSION = 1
"""Rises when the same plan, chunk and turn give another reply."""
KEPT = 4096
"""Chunks whose material is kept at hand."""


class EmbeddedProvider:
    """Composes replies; the same plan, chunk and turn give the same reply."""

    name = "embedded"
    model = f"composer-{COMPOSER_VERSION}"

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._materials: OrderedDict[str, Material] = OrderedDict()

    def client(self, request: GroupRequest) -> "EmbeddedClient":
        """A client for one group; its prompt is not read, since the request says all."""
        return EmbeddedClient(request, self._material(request.chunk))

    async def close(self) -> None:
        """Nothing is held open."""

    def _material(self, chunk: Chunk) -> Material:
        material = self._materials.get(chunk.digest)
        if material is None:
            material = material_of(chunk, self._plan.dataset.language, self._plan.dataset.seed)
            self._materials[chunk.digest] = material
            if len(self._materials) > KEPT:
                self._materials.popitem(last=False)
        return material


@dataclass(frozen=True, slots=True)
class EmbeddedClient:
    """Composes the reply to one request."""

    request: GroupRequest
    material: Material

    async def generate(self, prompt: str, system_prompt: str) -> Reply:
        """The composed reply as JSON. Raises ReplyError where no form fits a fact of the chunk."""
        del prompt, system_prompt
        request = self.request
        turn = Turn(request.plan.dataset.seed, request.number, request.attempt, gaps=request.last_resort)
        try:
            reply = compose_reply(request.plan, request.group, self.material, turn)
        except NoFormError as error:
            raise ReplyError(str(error), unfit=True) from None
        return Reply(json.dumps(reply, ensure_ascii=False), Usage(), "stop", EmbeddedProvider.model)
