"""Makes the pictures beside it: `python docs/images/make_screenshots.py`, with Chromium installed.

Looks at a ledger of recorded pages in which one source has gone stale, through the UI that `gpuledger ui` starts.
"""

from __future__ import annotations

import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent.parent
sys.path[:0] = [str(CHECKOUT), str(CHECKOUT / "tests")]

from browser import browser_tab  # noqa: E402
from exchanges import Site  # noqa: E402
from recorded_site import keep_good_look  # noqa: E402
from served_ui import RED_NODE, served_ui  # noqa: E402

from pipelines.home import Home  # noqa: E402
from pipelines.refreshing import refresh  # noqa: E402
from sources.source import all_sources  # noqa: E402

STALE = "nebius"


def make_home(home: Home) -> None:
    """A refresh from the recordings, a good live look of three days ago, and a site that has moved since."""
    refresh(home, recorded=True, say=print)
    source = all_sources()[STALE]
    keep_good_look(home, source, datetime.now(UTC) - timedelta(days=3), list(all_sources().values()))
    refresh(home, (STALE,), adapters={STALE: Site(lambda _: {"status": 404})}, say=print)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        make_home(home)
        with served_ui(home) as ui, browser_tab() as tab:
            tab.open(f"{ui.url}/asset-groups", width=2300, height=560)
            tab.wait_for("raw", "offers", "warehouse", "cost", "published")
            tab.wait_until_still()
            tab.screenshot(HERE / "asset-graph.png")

            tab.open(f"{ui.url}/assets/offers/lambda?view=overview")
            tab.wait_for("Freshness policy", "Passing", "Fails if more than 18 hours", "Row count")
            tab.wait_until_still()
            tab.screenshot(HERE / "provider.png")

            tab.open(f"{ui.url}/assets/published/gpuledger?view=lineage&lineageScope=upstream", height=760)
            tab.wait_for("gpuledger", "training_cost_by_provider", RED_NODE)
            tab.wait_until_still()
            tab.screenshot(HERE / "stale-node.png")

            tab.open(f"{ui.url}/assets/published/gpuledger?view=checks")
            tab.wait_for("every_provider_is_fresh", f"{STALE}: last good look")
            tab.wait_until_still()
            tab.screenshot(HERE / "stale-check.png")
    for picture in sorted(HERE.glob("*.png")):
        print(picture.relative_to(CHECKOUT), f"{picture.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
