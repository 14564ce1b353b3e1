"""robots.txt: a price page that its site keeps crawlers from is not read, and the source says so.

Read as RFC 9309 has it: the group of our name, else of `*`; of the rules that fit an address the longest holds, and of
two as long the one that allows; `*` stands for anything and `$` for the end. A line that says nothing to that is
passed over. APIs are made to be asked and are not checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import quote, unquote, urlsplit

from sources.http import USER_AGENT, Http
from sources.source import ErrorAnswer, ForbiddenByRobots, Source, Unreachable

CRAWLER = USER_AGENT.partition("/")[0].lower()
LARGEST_BYTES = 500 << 10  # what has to be read of a robots.txt

Rule = tuple[str, bool]  # a pattern of paths, and whether they may be read


def refuse_forbidden(http: Http, source: Source) -> None:
    """Ask the robots.txt of every host of a page source. Raises ForbiddenByRobots, or Unreachable when it fails.

    A site without one (HTTP 4xx) allows everything.
    """
    rules: dict[str, list[Rule]] = {}
    for url in source.urls if source.access == "page" else ():
        host = f"{urlsplit(url).scheme}://{urlsplit(url).netloc}"
        if host not in rules:
            rules[host] = rules_for(CRAWLER, _asked(http, f"{host}/robots.txt"))
        if not allowed(url, rules[host]):
            raise ForbiddenByRobots(
                f"{urlsplit(url).netloc} keeps crawlers from {urlsplit(url).path} in its robots.txt"
            )


def rules_for(crawler: str, text: str) -> list[Rule]:
    """The rules of a robots.txt for a crawler; none where it may read everything."""
    groups: dict[str, list[Rule]] = {}
    named: list[list[Rule]] = []  # the groups whose rules follow
    names_follow = False
    for field, value in _fields(text):
        if field == "user-agent":
            named = named if names_follow else []
            named.append(groups.setdefault(value.partition("/")[0].strip().lower(), []))
        elif field in ("allow", "disallow") and value:
            for group in named:
                group.append((_plain(value), field == "allow"))
        names_follow = field == "user-agent"
    return groups.get(crawler, groups.get("*", []))


def allowed(url: str, rules: Iterable[Rule]) -> bool:
    """Whether the rules let the address be read."""
    parts = urlsplit(url)
    path = _plain(parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    fitting = [(len(pattern), allows) for pattern, allows in rules if _fits(path, pattern)]
    return max(fitting, default=(0, True))[1]


def _fields(text: str) -> Iterator[tuple[str, str]]:
    for line in text.removeprefix("\ufeff").splitlines():
        name, colon, value = line.partition("#")[0].partition(":")
        if colon:
            yield name.strip().lower(), value.strip()


def _plain(path: str) -> str:
    """The path in one spelling of its encoded characters."""
    return quote(unquote(path), safe="/*$?=&;,:@+!~'()")


def _fits(path: str, pattern: str) -> bool:
    """Whether the path begins with the pattern; from the left, each part between stars where it is first found."""
    first, *others = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    place = len(first)
    if pattern.endswith("$"):
        if not others:
            return place == len(path)
        last = others.pop()
        if not path.endswith(last) or len(path) - len(last) < place:
            return False
        path = path[: len(path) - len(last)]
    for part in others:
        found = path.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True


def _asked(http: Http, url: str) -> str:
    try:
        return http.get(url).body[:LARGEST_BYTES].decode("utf-8", "replace")
    except Unreachable as error:
        if not 400 <= error.status < 500:
            raise
        return ""
    except ErrorAnswer:  # a redirect to another host: whatever lies there does not speak for this one
        return ""
