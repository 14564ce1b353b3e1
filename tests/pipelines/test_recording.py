"""`record`: what it writes passes what every recording must, and holds nothing that is not for all."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import requests
from click.testing import CliRunner
from exchanges import Site
from recorded_site import recorded_site

from pipelines.cli import cli
from pipelines.looks.recording import record
from sources.pages import RECORDED, recorded_pages
from sources.private import without_private
from sources.source import (
    EmptyAnswer,
    ErrorAnswer,
    ForbiddenByRobots,
    MissingSecret,
    SourceError,
    Unreachable,
    all_sources,
)

AT = datetime(2026, 11, 29, 6, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def contract() -> ModuleType:
    """The tests that every recording must pass, as functions of a source."""
    path = Path(__file__).parents[1] / "sources" / "test_contract.py"
    spec = importlib.util.spec_from_file_location("contract_of_recordings", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def recordings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, contract: ModuleType) -> Path:
    """An empty folder in place of the recordings."""
    monkeypatch.setattr("sources.pages.RECORDED", tmp_path)
    monkeypatch.setattr(contract, "RECORDED", tmp_path)
    return tmp_path


def newest(name: str) -> list[bytes]:
    return [recorded.page.body for recorded in list(recorded_pages(name).values())[-1]]


# A page, an API in JSON, one in several books, rates, and witnesses in one file and in parts of which most fail.
SITES = {
    name: recorded_site(name) for name in ("crusoe", "hyperstack", "voltagepark", "ecb", "gpurentalprices", "skypilot")
}


@pytest.mark.parametrize("name", SITES)
def test_what_it_writes_passes_the_contract(name: str, contract: ModuleType, recordings: Path):
    lines = list(record(name, recordings / name, adapter=SITES[name], now=lambda: AT))
    assert any("by eye" in line for line in lines)
    source = all_sources()[name]
    contract.test_provenance_lists_every_page_and_nothing_else(source)
    contract.test_every_recorded_page_has_a_true_date_an_address_and_an_origin(source)
    contract.test_recordings_are_small_and_hold_no_secret_and_no_person(source)
    contract.test_pages_read_as_reviewed(source)
    contract.test_every_recorded_book_holds_prices_and_each_row_its_page(source)
    contract.test_source_yields_what_its_kind_says(source)
    assert {moment for moment, _ in contract.recording(source)} == {AT}


def test_a_second_look_stands_beside_the_first(contract: ModuleType, recordings: Path):
    site = Site(lambda request: {"status": 404} if "robots" in (request.url or "") else {"body": PAGE})
    folder = recordings / "crusoe"
    for hours in (0, 1, 30):
        list(record("crusoe", folder, adapter=site, now=lambda hours=hours: AT + timedelta(hours=hours)))
    stated = json.loads((folder / "provenance.json").read_bytes())["looks"]
    files = [look["pages"][0]["file"] for look in stated]
    assert files == ["2026-11-29/pricing", "2026-11-29T070000/pricing", "2026-11-30/pricing"]
    assert list(json.loads((folder / "quotes.json").read_bytes())) == [look["observed_at"] for look in stated]
    contract.test_pages_read_as_reviewed(all_sources()["crusoe"])


PAGE = newest("crusoe")[0]
PRIVATE = {
    "key": "FAKEKEY-of-the-test-0123456789",
    "account": "9182736450",
    "person": "jane.doe@acme-corp.com",
    "host": "203.0.113.77",
    "token": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0",
}


def test_secrets_accounts_hosts_and_people_are_taken_out(recordings: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DIGITALOCEAN_TOKEN", PRIVATE["key"])
    asked: list[requests.PreparedRequest] = []

    def respond(request: requests.PreparedRequest) -> Mapping[str, Any]:
        asked.append(request)
        size = {
            "slug": "gpu-h100x1-80gb",
            "vcpus": 20,
            "memory": 245760,
            "price_hourly": 3.39,
            "price_monthly": 2522.16,
            "available": True,
            "regions": ["tor1"],
            "description": "H100 GPU - 1X",
            "gpu_info": {"count": 1, "vram": {"amount": 80, "unit": "gib"}, "model": "nvidia_h100"},
        }
        noise = {"account_id": PRIVATE["account"], "email": PRIVATE["person"], "asked_from": PRIVATE["host"]}
        paging = {"links": {}, "meta": {"total": 1}}
        return {"body": {"sizes": [size], **paging, **noise, "echo": PRIVATE["token"] + PRIVATE["key"]}}

    lines = list(record("digitalocean", recordings / "digitalocean", adapter=Site(respond), now=lambda: AT))
    assert any(PRIVATE["key"] in str(request.headers) for request in asked), "the key was not used"
    written = {path.name: path.read_text() for path in recordings.rglob("*") if path.is_file()}
    assert "gpu-h100x1-80gb" in written["quotes.json"]
    for what, value in PRIVATE.items():
        assert not [name for name, text in {**written, "lines": "\n".join(lines)}.items() if value in text], what
    assert json.loads(written["provenance.json"])["looks"][0]["pages"][0]["form"] == "reduced"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('{"host_id": 12345, "price": 2.5}', '{"host_id": null, "price": 2.5}'),
        ('{"hotkey":"5Fq\\"x","gpu":"H100"}', '{"hotkey":null,"gpu":"H100"}'),
        ('{"public_ipaddr": "198.51.100.7"}', '{"public_ipaddr": null}'),
        ("<a href='mailto:sales@acme.io'>sales@acme.io</a>", "<a href='mailto:removed'>removed</a>"),
        ("host 198.51.100.7:22", "host 0.0.0.0:22"),
        ('{"model_id": 7, "id": "h100", "price": "1.29"}', '{"model_id": 7, "id": "h100", "price": "1.29"}'),
        ('{"apiToken": "q8Zr-71kd", "price": "1.29"}', '{"apiToken": null, "price": "1.29"}'),
        ('{"sessionToken":"a.b/c==","access_token":"0aZ19-xx"}', '{"sessionToken":null,"access_token":null}'),
        (r"{\"csrf\":\"aGVsbG8x\",\"gpu\":\"H100\"}", r"{\"csrf\":null,\"gpu\":\"H100\"}"),
        ("data-props='{&quot;secret&quot;:&quot;aGVsbG8x&quot;}'", "data-props='{&quot;secret&quot;:null}'"),
        ('<meta name="csrf-token" content="aGVsbG8x" />', '<meta name="csrf-token" content="removed" />'),
        ('<meta content="aGVsbG8x" name="csrf-token">', '<meta content="removed" name="csrf-token">'),
        (
            '<input type="hidden" name="authenticity_token" value="pQ+9/7==" autocomplete="off">',
            '<input type="hidden" name="authenticity_token" value="removed" autocomplete="off">',
        ),
        ('<a href="/prices?token=aGVsbG8x&gpu=h100">', '<a href="/prices?token=removed&gpu=h100">'),
        (
            "https://b.example/p.json?a=1&amp;X-Amz-Signature=9f86d0",
            "https://b.example/p.json?a=1&amp;X-Amz-Signature=removed",
        ),
        ('<div data-account-id="99887766">', '<div data-account-id="removed">'),
        ("window.csrfToken = 'aGVsbG8x'; gpus = 8", "window.csrfToken = 'removed'; gpus = 8"),
        ("Signed in as account 99887766", "Signed in as account removed"),
        ("Account ID: 1234-5678-9012", "Account ID: removed"),
        ("arn:aws:iam::123456789012:role/x", "arn:aws:iam::removed:role/x"),
        (
            '{"price_per_token": 0.0000006, "outputToken": "0.60"}',
            '{"price_per_token": 0.0000006, "outputToken": "0.60"}',
        ),
        ('{"token": "per million", "session": ""}', '{"token": "per million", "session": ""}'),
        ('<meta name="description" content="H100 from $2.49">', '<meta name="description" content="H100 from $2.49">'),
        ("an account for 8 GPUs at $2.49", "an account for 8 GPUs at $2.49"),
        ("$2.49 /hr, 80.0.1 and 1.2.3.4.5", "$2.49 /hr, 80.0.1 and 1.2.3.4.5"),
        ('{"price_token_key": "sk-proj-Zx9QkT4mW7vB2nL8pR3s"}', '{"price_token_key": "***"}'),
        ('{"rate_limit_token": "Zx9QkT4mW7vB2nL8pR3s"}', '{"rate_limit_token": null}'),
        ('{"corporateToken": "q8Zr-71kd"}', '{"corporateToken": null}'),
        ('{"maxSession": "q8Zr-71kd", "token": "12345678"}', '{"maxSession": null, "token": null}'),
        (
            '<input id="max_token" name="authenticity_token" value="pQ+9/7">',
            '<input id="max_token" name="authenticity_token" value="removed">',
        ),
        ('<a href="/p?key=Zx9QkT4mW7vB2nL8pR3s">', '<a href="/p?key=removed">'),
        ("?key=550e8400-e29b-41d4-a716-446655440000", "?key=removed"),
        ('{"driver_host": "198.51.100.7"}', '{"driver_host": "0.0.0.0"}'),
    ],
)
def test_what_is_private(text: str, kept: str):
    assert without_private(text) == kept


LONG = "Zx9QkT4mW7vB2nL8pR3s"  # as random as a key


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"token={LONG} H100", "token=removed H100"),
        (f"api_key = {LONG}", "api_key = removed"),
        (f"x-api-key: {LONG}", "x-api-key: removed"),
        ("Authorization: Basic dXNlcjpaeDlRa1Q0bVc3dkI=", "Authorization: Basic removed"),
        (f"Authorization: Token {LONG}", "Authorization: Token removed"),
        (f'{{"name":"apiKey","value":"{LONG}"}}', '{"name":"apiKey","value":null}'),
        (f'{{"token":["{LONG}", "b"], "price":["2.49"]}}', '{"token":[null, "b"], "price":["2.49"]}'),
        (f'{{"accessToken":{{"value":"{LONG}"}}}}', '{"accessToken":{"value":null}}'),
        (f'{{"pwd":"{LONG}","tokenValue":"{LONG}"}}', '{"pwd":null,"tokenValue":null}'),
        (f"postgres://u:{LONG}@db/x", "postgres://u:removed@db/x"),
        (f"-----BEGIN PRIVATE KEY-----\nMIIEvQ{LONG}\n-----END PRIVATE KEY-----, 2.49", "***, 2.49"),
        (f'{{"pem":"-----BEGIN RSA PRIVATE KEY-----\\nMIIEvQ{LONG}\\n"}}', '{"pem":"***"}'),
        *((key, "***") for key in (f"hf_{LONG}", f"sk_live_{LONG}", f"glpat-{LONG}", f"github_pat_11A_{LONG}")),
        *((key, "***") for key in (f"xoxb-123456789012-{LONG}", "ASIAIOSFODNN7EXAMPLE", f"npm_{LONG}{LONG}")),
        ('{"at":"2001:db8:85a3::8a2e:370:7334"}', '{"at":"::"}'),
        ("fe80::1 and 2001:db8:1:2:3:4:5:6", ":: and ::"),
    ],
)
def test_secrets_are_known_by_their_form_too(text: str, kept: str):
    assert without_private(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "token: per-million-output-tokens, session = on-demand-reserved",
        "input token: 0.0000025000000000 USD",
        '{"token":["0.25","15.00"],"signature":["gpu_8x_h100"]}',
        '{"outputToken":{"value":"0.60"}}',
        '{"name":"price_per_token","value":"0.0000025"}',
        "https://acme.example:8443/h100 at 2.49",
        "2026:10:01 12:30:45, 3000:1, std::vector, a::before, hf_h100, sk_live_h100",
        '{"price_input_token":"1,234.56"}',
        '{"token":"2.5e-7"}',
        '{"usd_per_token":"1e-06"}',
        '{"cost_per_1m_token":"USD15.00"}',
        '{"price_token":"15.00/1M"}',
        '{"priceToken":"15 USD"}',
        '{"max_token":"131072","contextToken":"1000000"}',
        r"{\"maxToken\":\"131072\"}",
        '<input name="price_per_token" value="0.0000025">',
        '<input name="pricing_token" value="2.50">',
        "<input name=max_token value=131072>",
        '<a href="/p?key=h100-sxm-80gb">',
        '<a href="/p?max_token=131072">',
        "sku: sk-gpu-h100-sxm5-80gb-us-east",
        '{"sk":"sk-h100-sxm5-80gb-us-east-1a"}',
        "driver 550.54.15.01",
        "driver: 50.54.15.1",
        "CUDA 12.4.1.0, version 1.2.3.4, v1.2.3.4",
        '{"version":"35.104.12.1"}',
        "price 1.250.000.000",
        "256.1.1.1",
    ],
)
def test_figures_stay_whatever_they_are_called(text: str):
    assert without_private(text) == text


def test_prices_of_every_recording_stay():
    """What is taken out of real pages never changes a row: they are read the same before and after."""
    for name in all_sources():
        for looks in recorded_pages(name).values():
            for recorded in looks:
                assert without_private(recorded.page.text) == recorded.page.text, recorded.page.name


def test_what_the_contract_calls_a_secret_is_taken_out(contract: ModuleType):
    for left in (
        '{"apiToken": "q8Zr-71kd"}',
        r"{\"sessionToken\":\"q8Zr-71kd\"}",
        '<meta name="csrf-token" content="aGVsbG8x">',
        '<input name="authenticity_token" value="pQ+9/7==">',
        '<a href="/prices?token=aGVsbG8x">',
        '<div data-account-id="99887766">',
        "account 99887766",
    ):
        assert any(pattern.search(left) for pattern in contract.SECRETS), left
        assert not any(pattern.search(without_private(left)) for pattern in contract.SECRETS), left


def test_nothing_is_written_of_a_look_that_failed(recordings: Path):
    folder = recordings / "crusoe"
    robots = "User-agent: *\nDisallow: /cloud"
    cases: list[tuple[type[SourceError], Mapping[str, Any], Mapping[str, Any]]] = [
        (Unreachable, {"status": 404}, {"status": 403}),
        (ForbiddenByRobots, {"body": robots}, {"body": PAGE}),
        (EmptyAnswer, {"status": 404}, {"body": PAGE.replace(b"/GPU-hr", b"")}),
    ]
    for error, of_robots, of_page in cases:
        site = Site(lambda request, a=of_robots, b=of_page: a if "robots" in (request.url or "") else b)
        with pytest.raises(error):
            list(record("crusoe", folder, adapter=site, now=lambda: AT))
    assert not folder.exists()


def test_a_source_without_its_key_says_which(recordings: Path):
    with pytest.raises(MissingSecret, match=all_sources()["gcp"].secret):
        list(record("gcp", recordings / "gcp"))


def test_parts_that_fail_are_named_and_the_others_recorded(recordings: Path):
    lines = list(record("skypilot", recordings / "skypilot", adapter=SITES["skypilot"], now=lambda: AT))
    failed = [line for line in lines if line.startswith("left out, as it failed: ")]
    assert len(failed) == len(all_sources()["skypilot"].parts) - 1


def test_unknown_cards_are_named_for_the_reviewer(recordings: Path):
    page = PAGE.replace(b">NVIDIA H200<", b">NVIDIA Z900<")
    site = Site(lambda request: {"status": 404} if "robots" in (request.url or "") else {"body": page})
    lines = list(record("crusoe", recordings / "crusoe", adapter=site, now=lambda: AT))
    assert [line for line in lines if "no known GPU: NVIDIA Z900" in line]


def test_pages_laid_by_hand_are_read_without_a_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(RECORDED / "crusoe", tmp_path / "crusoe")
    for module in ("sources.pages", "pipelines.looks.recording"):
        monkeypatch.setattr(f"{module}.RECORDED", tmp_path)
    reviewed = tmp_path / "crusoe" / "quotes.json"
    before = reviewed.read_bytes()
    reviewed.unlink()
    told = CliRunner().invoke(cli, ["record", "crusoe", "--kept"], catch_exceptions=False)
    assert (told.exit_code, "compare them with the pages by eye" in told.stdout) == (0, True)
    assert json.loads(reviewed.read_bytes()) == json.loads(before)
    (tmp_path / "crusoe" / "provenance.json").write_text('{"looks": []}')
    refused = CliRunner().invoke(cli, ["record", "crusoe", "--kept"])
    assert refused.exit_code == 1


def test_nothing_is_written_where_a_row_goes_with_what_is_private(recordings: Path):
    page = PAGE.replace(b">NVIDIA H200<", b">NVIDIA H200 of account 123456789<")
    site = Site(lambda request: {"status": 404} if "robots" in (request.url or "") else {"body": page})
    with pytest.raises(ErrorAnswer, match="without what is private the answer reads otherwise; nothing is written"):
        list(record("crusoe", recordings / "crusoe", adapter=site, now=lambda: AT))
    assert not (recordings / "crusoe").exists()
