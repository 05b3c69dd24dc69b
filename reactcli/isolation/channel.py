"""Messages between a worker and its owner: a length, then that much JSON.

    frame = length object        length is four bytes, big-endian

What arrives may come from a tool that scribbled over every descriptor it found, so all of it is checked.
"""

from __future__ import annotations

import json

from reactcli.errors import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

REQUESTS, RESULTS = 3, 4
"""The worker's descriptors on which requests come and results go."""

FRAME_LIMIT = 128 << 20
"""A result of 16 Mi characters takes six bytes for each at most (`\\uXXXX`), and there is little beside it."""


class FrameError(ToolError):
    """What arrived is no frame."""


class Inbox:
    """Bytes as they arrive, made into messages."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, octets: bytes) -> None:
        self._bytes += octets

    def take(self) -> dict[str, Any] | None:
        """The next message, or None until it is complete. FrameError if it is none."""
        if len(self._bytes) < 4:
            return None
        length = int.from_bytes(self._bytes[:4], "big")
        if length > FRAME_LIMIT:
            raise FrameError("a message is longer than any can be")
        if len(self._bytes) < 4 + length:
            return None
        body = bytes(self._bytes[4 : 4 + length])
        del self._bytes[: 4 + length]
        try:
            message = _decode(body.decode("ascii"))
        except (ValueError, RecursionError):
            raise FrameError("a message is not JSON") from None
        if not isinstance(message, dict):
            raise FrameError("a message is not an object")
        return message


def frame(message: dict[str, Any]) -> bytes:
    """A message as bytes. ASCII, so that half a surrogate pair passes as well."""
    body = _encode(message).encode("ascii")
    return len(body).to_bytes(4, "big") + body


# Bound once: a tool that replaces json.dumps must not damage the channel.
_encode = json.JSONEncoder(ensure_ascii=True).encode
_decode = json.JSONDecoder().decode
