"""How bytes travel: one polite, bounded, honest HTTP client per look at a source.

The look as a whole has a deadline that no head and no body of an answer outlasts, bodies are counted against
Content-Length and a cap, 429 and 5xx are retried with Retry-After, hosts are paced, redirects stay on the source's
own hosts, and an answer out of somebody's cache that is older than a day is refused. Secrets travel in requests only:
never in a Page, an error or a log.

What the bytes mean is in providers/, where they are kept in pages.py.
"""

from __future__ import annotations

import json as json_module
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, Protocol
from urllib.parse import urlencode, urlsplit

import requests
from requests.adapters import BaseAdapter
from urllib3.exceptions import HTTPError

from sources.bodies import ACCEPTED_ENCODING, CutShort, pieces
from sources.connections import NoRedirects, WholeAnswers, in_words, never_connected, redirected, where
from sources.headers import retry_after, sendable, validator, whole_number
from sources.redaction import redact, redact_bytes
from sources.source import ErrorAnswer, MissingSecret, Page, Reduce, Source, SourceError, StaleAnswer, Unreachable

USER_AGENT = "gpuledger/0.1 (open GPU price ledger; python-requests)"
CONNECT_SECONDS = 5  # for each address of a host: time for three attempts of TCP
ATTEMPTS = 4
CONNECTING_ATTEMPTS = 2  # where no connection is made at all: a machine without a network is told so in seconds
RETRY_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
MAX_REDIRECTS = 5
LARGEST_JSON_BYTES = 48 * 1024 * 1024
MAX_BYTES = 96 * 1024 * 1024
LONGEST_REASON = 300  # characters
MAX_CACHE_AGE = timedelta(hours=24)


class KeptPages(Protocol):
    """What the client needs of the page store to ask "has it changed?"."""

    def last_page(self, url: str) -> Page | None: ...


class Http:
    """The client of one look at one source. `adapter` and `now` are injectable so that tests replay exchanges."""

    def __init__(
        self,
        source: Source,
        *,
        kept: KeptPages | None = None,
        adapter: BaseAdapter | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        sleep: Callable[[float], None] = time.sleep,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        self.source = source
        self.kept = kept
        self.now = now
        self._sleep = sleep
        self._secrets = dict(secrets or {})
        self._ends = time.monotonic() + source.deadline.total_seconds()
        self._next_request: dict[str, float] = {}
        self._unreached: set[str] = set()  # hosts to which no connection could be made: each is tried once more a page
        self._hosts = {urlsplit(url).netloc for url in source.urls} | set(source.hosts)
        self._session = NoRedirects()
        self._session.headers.update({"User-Agent": USER_AGENT, "Accept-Encoding": ACCEPTED_ENCODING})
        self._session.trust_env = adapter is None
        transport = adapter or WholeAnswers(pool_maxsize=4)
        self._session.mount("https://", transport)
        self._session.mount("http://", transport)

    def held(self, url: str) -> Page | None:
        """The page kept from the last good look at `url`, with its own date; None when there is none."""
        return self.kept.last_page(url) if self.kept else None

    def confirmed(self, page: Page) -> Page:
        """A held page that a version stamp has just shown to be current: same bytes, looked at now."""
        return replace(page, observed_at=self.now(), unchanged=True)

    def secret(self, variable: str) -> str:
        """The value of an environment variable that this source may use; empty when not set.

        Raises MissingSecret, without the value, for one that no request can carry.
        """
        value = self._secrets.get(variable, "")
        if value and not sendable(value):
            raise MissingSecret(
                f"{variable} holds a line end, a space around the key or a character that no key has: set it anew"
            )
        return value

    def get(
        self,
        url: str,
        *,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        secret_params: Mapping[str, str] | None = None,
        secret_headers: Mapping[str, str] | None = None,
        name: str = "",
        book: str = "",
        reduce: Reduce | None = None,
    ) -> Page:
        """One page. Asks conditionally when the page is held; a 304 gives the kept bytes, freshly looked at.

        `reduce` cuts a body that is too large to hold while it streams; the page is what it keeps.
        """
        address = f"{url}{'&' if '?' in url else '?'}{urlencode(params)}" if params else url
        held = self.kept.last_page(address) if self.kept else None
        asked = dict(headers or {})
        if held and held.etag:
            asked["If-None-Match"] = held.etag
        if held and held.last_modified:
            asked["If-Modified-Since"] = held.last_modified
        return self._page("GET", address, name, book, held, asked, secret_params, secret_headers, None, reduce)

    def post(
        self,
        url: str,
        *,
        json: object,
        headers: Mapping[str, str] | None = None,
        secret_headers: Mapping[str, str] | None = None,
        name: str = "",
        book: str = "",
    ) -> Page:
        """One page in answer to a JSON body."""
        return self._page("POST", url, name, book, None, dict(headers or {}), None, secret_headers, json, None)

    def _page(
        self,
        method: str,
        address: str,
        name: str,
        book: str,
        held: Page | None,
        headers: dict[str, str],
        secret_params: Mapping[str, str] | None,
        secret_headers: Mapping[str, str] | None,
        json: object,
        reduce: Reduce | None,
    ) -> Page:
        asked_at = self.now()
        secret_url = address
        if secret_params:
            secret_url += ("&" if "?" in address else "?") + urlencode(secret_params)
        asked = {**headers, **(secret_headers or {})}
        try:
            body, answer = self._with_retries(method, address, secret_url, asked, json, held is not None, reduce)
        except SourceError as error:  # whatever a server made it say
            text = " ".join(redact(str(error), self._secrets).split())[:LONGEST_REASON]
            if isinstance(error, Unreachable) and error.status in (401, 403) and (secret_params or secret_headers):
                text += f" to the key in {' or '.join(name for name, value in self._secrets.items() if value)}"
            error.args = (text,)
            raise
        address = redact(address, self._secrets)
        name = name or page_name(address)
        if answer.status_code == 304:
            assert held is not None
            return Page(address, held.body, asked_at, name, book, held.etag, held.last_modified, unchanged=True)
        said = (validator(answer.headers, header) for header in ("ETag", "Last-Modified"))
        etag, modified = (value if redact(value, self._secrets) == value else "" for value in said)
        return Page(address, redact_bytes(body, self._secrets), asked_at, name, book, etag, modified)

    def _with_retries(
        self,
        method: str,
        address: str,
        secret_url: str,
        headers: dict[str, str],
        json: object,
        held: bool,
        reduce: Reduce | None,
    ) -> tuple[bytes, requests.Response]:
        host = urlsplit(address).netloc
        for attempt in range(1, ATTEMPTS + 1):
            tries = ATTEMPTS
            wait = min(2.0**attempt, 20.0) * random.uniform(0.5, 1.0)
            try:
                answer = self._send(method, secret_url, headers, json)
                with answer:
                    if answer.status_code in RETRY_STATUS:
                        wait = retry_after(answer.headers, self.now()) or wait
                        failure = f"HTTP {answer.status_code}"
                    elif answer.status_code == 304 and held:
                        self._refuse_stale(address, answer)
                        return b"", answer
                    elif answer.status_code != 200:
                        raise Unreachable(f"{where(address)} answered HTTP {answer.status_code}", answer.status_code)
                    else:
                        self._refuse_stale(address, answer)
                        return self._body(address, answer, reduce), answer
            except UnicodeError:
                raise Unreachable(f"{where(address)}: the key or the address is not made of plain characters") from None
            except (requests.RequestException, HTTPError) as error:
                failure = in_words(error)
                if never_connected(error):
                    tries = 1 if host in self._unreached else CONNECTING_ATTEMPTS
            except CutShort as error:
                failure = str(error)
            if attempt >= tries:
                break
            self._in_time(address, failure)
            if time.monotonic() + wait > self._ends:
                raise Unreachable(f"{where(address)}: {failure}, and no time left to try again") from None
            self._sleep(wait)
        if tries < ATTEMPTS:
            self._unreached.add(host)
        tried = "1 try" if attempt == 1 else f"{attempt} tries"
        raise Unreachable(f"{where(address)}: {failure} after {tried}") from None

    def _send(self, method: str, url: str, headers: dict[str, str], json: object) -> requests.Response:
        """Send one request, following redirects only within the source's own hosts."""
        hosts = self._hosts | {urlsplit(url).netloc}
        for _ in range(MAX_REDIRECTS + 1):
            self._pace(urlsplit(url).netloc)
            self._in_time(url)
            left = max(self._ends - time.monotonic(), 0.001)
            answer = self._session.request(
                method,
                url,
                headers=headers,
                json=json,
                stream=True,
                allow_redirects=False,
                timeout=(min(CONNECT_SECONDS, left), left),
            )
            if answer.status_code not in (301, 302, 303, 307, 308):
                return answer
            answer.close()
            url = redirected(url, answer.headers.get("Location", ""), hosts)
        raise Unreachable(f"{where(url)}: more than {MAX_REDIRECTS} redirects")

    def _pace(self, host: str) -> None:
        now = time.monotonic()
        due = self._next_request.get(host, 0.0)
        if due > now:
            self._sleep(due - now)
        self._next_request[host] = max(now, due) + 1.0 / self.source.requests_per_second

    def _body(self, address: str, answer: requests.Response, reduce: Reduce | None) -> bytes:
        """What is to be kept of the body; the cap is on that, not on what streams past."""
        chunks = pieces(answer, in_time=lambda: self._in_time(address))
        body = bytearray()
        for piece in chunks if reduce is None else reduce(chunks):
            body += piece
            if len(body) > MAX_BYTES:
                raise Unreachable(f"{where(address)} sent more than {MAX_BYTES >> 20} MB")
        return bytes(body)

    def _in_time(self, url: str, failure: str = "") -> None:
        if time.monotonic() > self._ends:
            last = f" ({failure})" if failure else ""
            raise Unreachable(f"{where(url)}: the look took longer than {self.source.deadline}{last}")

    def _refuse_stale(self, address: str, answer: requests.Response) -> None:
        told = answer.headers.get("Age", "").split(",")  # by each cache on the way, where they do not add them up
        age = max(whole_number({"Age": one}, "Age") or 0 for one in told)
        if age > MAX_CACHE_AGE.total_seconds():
            raise StaleAnswer(f"{where(address)} answered from a cache that is {age / 3600:.0f} h old")


def json_of(page: Page) -> Any:
    """The page as JSON with Decimal numbers. Raises ErrorAnswer when it is not (a login), or too large to hold."""
    if len(page.body) > LARGEST_JSON_BYTES:
        raise ErrorAnswer(f"{where(page.url)} answered {len(page.body) >> 20} MB of JSON; no price list is that large")
    try:
        return json_module.loads(page.body, parse_float=Decimal)
    except (ValueError, RecursionError, InvalidOperation) as error:
        start = page.text[:60].replace("\n", " ")
        raise ErrorAnswer(f"{where(page.url)} did not answer JSON but {start!r}") from error


def page_name(url: str) -> str:
    """A readable file name for a page: the last part of its path."""
    path = urlsplit(url).path.rstrip("/")
    return path.rsplit("/", 1)[-1] or urlsplit(url).netloc
