"""The body of an answer as it streams: in bounded pieces, decompressed, and known to be whole.

The usual read of an HTTP library bounds none of this: a compressed body cut short passes as a complete one,
and a body that drips can hold a single read for ever. Retries, caps and deadlines are in http.py.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from http.client import HTTPException

import requests
from urllib3.exceptions import HTTPError

from sources.headers import whole_number
from sources.source import LayoutChanged

PIECE_BYTES = 1 << 18
LONGEST_LINE = 8 << 20  # bytes
ACCEPTED_ENCODING = "gzip"
_START_BYTES, _END_BYTES = 1 << 10, 1 << 14  # where a page says that it is one, and where it closes
_HTML = re.compile(rb"<(?:!doctype html|html|head|body)\b", re.IGNORECASE)
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS  # either header


class CutShort(Exception):
    """A body that ended before it should, or cannot be decompressed."""


def pieces(answer: requests.Response, in_time: Callable[[], None]) -> Iterator[bytes]:
    """The decoded body in pieces of at most PIECE_BYTES. Raises CutShort, and whatever `in_time` raises.

    `in_time` is called before every read from the network.
    """
    raw = _raw_pieces(answer, in_time)
    encoding = answer.headers.get("Content-Encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return _closed(raw)
    if encoding in ("gzip", "x-gzip", "deflate"):
        return _closed(_decompressed(raw))
    raise CutShort(f"the body is encoded as {encoding}, which was not asked for")


def whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a body in pieces of any size, without their ends. Raises LayoutChanged for a line without end.

    Memory and time stay those of the longest line.
    """
    begun: list[bytes] = []
    size = 0
    for piece in pieces:
        first, *others = piece.split(b"\n")
        begun.append(first)
        size += len(first)
        if size > LONGEST_LINE:
            raise LayoutChanged(f"a line has more than {LONGEST_LINE >> 20} MB")
        if others:
            yield b"".join(begun)
            yield from others[:-1]
            begun, size = [others[-1]], len(others[-1])
    yield b"".join(begun)


def _raw_pieces(answer: requests.Response, in_time: Callable[[], None]) -> Iterator[bytes]:
    """The body as it travels; its length is checked at the end."""
    raw, seen = answer.raw, 0
    # read1 hands over what has arrived, so that a dripping body cannot outlast the deadline in one call
    read = raw.read1 if hasattr(raw, "read1") else raw.read
    undecoded = {"decode_content": False} if hasattr(raw, "decode_content") else {}
    while True:
        in_time()
        try:
            piece = read(PIECE_BYTES, **undecoded)
        except (HTTPError, HTTPException, OSError) as error:
            raise CutShort(f"the body broke off ({type(error).__name__})") from error
        if not piece:
            break
        seen += len(piece)
        yield piece
    length = whole_number(answer.headers, "Content-Length")
    if length is not None and seen != length:
        raise CutShort(f"the body has {seen} of {length} bytes")


def _closed(body: Iterable[bytes]) -> Iterator[bytes]:
    """A body that is closed where it is a page: a server or a cache may have broken off what it then sends as whole.

    Of JSON, XML and archives a cut shows itself.
    """
    start, end = b"", b""
    for piece in body:
        start = start if len(start) >= _START_BYTES else (start + piece)[:_START_BYTES]
        end = (end + piece)[-_END_BYTES:]
        yield piece
    if _HTML.search(start) and b"</html" not in end.lower():
        raise CutShort("the page stops before its </html>")


def _decompressed(raw: Iterable[bytes]) -> Iterator[bytes]:
    """Gzip or zlib, of one member or several. A stream that does not reach its own end is cut short."""
    decoder = zlib.decompressobj(_GZIP_OR_ZLIB)
    try:
        for piece in raw:
            while piece:
                if decoder.eof:
                    decoder = zlib.decompressobj(_GZIP_OR_ZLIB)
                if plain := decoder.decompress(piece, PIECE_BYTES):
                    yield plain
                piece = decoder.unconsumed_tail or decoder.unused_data
        if plain := decoder.flush():
            yield plain
    except zlib.error as error:
        raise CutShort("the body cannot be decompressed") from error
    if not decoder.eof:
        raise CutShort("the compressed body stops in the middle")
