"""A chat bound to one schema: what a provider hands to the fill."""

from typing import Any

from evalspec.runtime.providers import Chat, ChatRequest, Message, Reply
from evalspec.spec.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class BoundClient:
    """Asks a chat for replies of one shape."""

    chat: Chat
    schema: dict[str, Any]
    max_tokens: int
    temperature: float

    async def generate(self, prompt: str, system_prompt: str) -> Reply:
        """One reply to `prompt`. Raises RefusedError, BusyError, ReplyError."""
        messages = (Message("system", system_prompt), Message("user", prompt))
        return await self.chat.ask(ChatRequest(messages, self.schema, self.max_tokens, self.temperature))
