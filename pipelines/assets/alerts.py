"""Telling somebody: one message through a webhook when a source becomes stale, and one when it is back.

GPULEDGER_WEBHOOK_URL turns it on; any receiver of a JSON body with `text` will do. What is stale is decided by the
ledger (provider_freshness).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import requests

from sources.pages import write_whole

WEBHOOK = "GPULEDGER_WEBHOOK_URL"
SECONDS = 10


def announce(stale: Mapping[str, str], memory: Path) -> str:
    """Send what changed since the last call (`stale`: source -> one line) and remember it in `memory`.

    Returns what was sent, "" when nothing had changed or no webhook is set. A webhook that fails is reported in the
    text and tried again next time: alerts never stop the pipeline.
    """
    before = _remembered(memory)
    news = [f"{name} is stale: {line}" for name, line in stale.items() if name not in before]
    news += [f"{name} is fresh again" for name in before if name not in stale]
    url = os.environ.get(WEBHOOK, "")
    if not news or not url:
        return ""
    text = "gpuledger: " + "; ".join(news)
    try:
        requests.post(url, json={"text": text}, timeout=SECONDS).raise_for_status()
    except (requests.RequestException, ValueError) as error:  # the second for an address that is none
        return f"the webhook failed ({type(error).__name__}) and will be tried again: {text}"
    write_whole(memory, json.dumps(dict(stale)).encode())
    return text


def _remembered(memory: Path) -> dict[str, str]:
    """What was told last; nothing where the file is not there or not whole, so that it is told again."""
    try:
        before = json.loads(memory.read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return before if isinstance(before, dict) else {}
