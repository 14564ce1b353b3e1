"""Which kept looks were read by other code than today's: noted beside the offer files, and said until it is mended.

`gpuledger rebuild` reads every look again. Comparing what is read with what stood is in keeping.py.
"""

from __future__ import annotations

import json
from typing import Any

from pipelines.code import digest_of, reading_code
from warehouse.offer_files import OfferFiles

_CODE = digest_of(reading_code())  # as it was loaded: what is put in its place while this runs is for the next process


def read_by_earlier_code(files: OfferFiles) -> int:
    """How many looks were read before the code that reads became what it is, and not since."""
    noted = _noted(files)
    return int(noted["earlier"]) if noted.get("code") == _CODE else len(files.summaries())


def note_reader(files: OfferFiles, *, all_again: bool = False) -> int:
    """Note that today's code reads from here on, or that it read `all_again`; returns the looks of earlier code."""
    earlier = 0 if all_again else read_by_earlier_code(files)
    now = {"code": _CODE, "earlier": earlier}
    if _noted(files) != now:
        from sources.pages import write_whole  # brings all that reads pages, and most only ask

        write_whole(files.read_by, json.dumps(now).encode())
    return earlier


def said_of(looks: int) -> str:
    """The line about looks that earlier code read."""
    were = "look was" if looks == 1 else "looks were"
    return f"{looks:,} {were} read by earlier code: `gpuledger rebuild` reads every look again"


def _noted(files: OfferFiles) -> dict[str, Any]:
    try:
        noted = json.loads(files.read_by.read_bytes())
        return {"code": str(noted["code"]), "earlier": int(noted["earlier"])}
    except (FileNotFoundError, KeyError, TypeError, ValueError):
        return {}
