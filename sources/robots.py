"""robots.txt: a price page that its site keeps crawlers from is not read, and the source says so.

APIs are made to be asked and are not checked.
"""

from __future__ import annotations

from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

from sources.http import USER_AGENT, Http
from sources.source import ErrorAnswer, ForbiddenByRobots, Source, Unreachable


def refuse_forbidden(http: Http, source: Source) -> None:
    """Ask the robots.txt of every host of a page source. Raises ForbiddenByRobots, or Unreachable when it fails.

    A site without one (HTTP 4xx) allows everything, as RFC 9309 has it.
    """
    rules: dict[str, RobotFileParser] = {}
    for url in source.urls if source.access == "page" else ():
        host = f"{urlsplit(url).scheme}://{urlsplit(url).netloc}"
        if host not in rules:
            rules[host] = _rules(http, f"{host}/robots.txt")
        if not rules[host].can_fetch(USER_AGENT, url):
            raise ForbiddenByRobots(
                f"{urlsplit(url).netloc} keeps crawlers from {urlsplit(url).path} in its robots.txt"
            )


def _rules(http: Http, url: str) -> RobotFileParser:
    rules = RobotFileParser()
    try:
        rules.parse(http.get(url).text.splitlines())
    except Unreachable as error:
        if not 400 <= error.status < 500:
            raise
        rules.parse([])
    except ErrorAnswer:  # a redirect to another host: whatever lies there does not speak for this one
        rules.parse([])
    return rules
