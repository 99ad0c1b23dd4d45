"""Standard output and error that outlive their reader, and are UTF-8 whatever the locale."""

import io
import os
from typing import Any, TextIO, cast


def open_stream(stream: TextIO | None, lost: type[OSError] = BrokenPipeError) -> TextIO:
    """The stream for this program: a closed one becomes the null device, and after `lost` nothing more is written."""
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - it lives as long as the program
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    return cast(TextIO, _Lasting(stream, lost))


class _Lasting:
    """A stream whose reader may go away: a run goes on, since its result is not on the screen."""

    def __init__(self, stream: TextIO, lost: type[OSError]) -> None:
        self._stream, self._lost = stream, lost

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except self._lost:
            self._give_up()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except self._lost:
            self._give_up()

    def _give_up(self) -> None:
        """Send what is still to come, and what is buffered, to the null device."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self._stream.fileno())
        os.close(null)
