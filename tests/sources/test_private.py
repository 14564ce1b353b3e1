"""What is private goes in whatever notation it stands, and what only looks like it stays: see test_recording.py too."""

from __future__ import annotations

import json

import pytest

from sources.private import without_private

K = "Zx9QkT4mW7vB2nL8pR3s"  # as random as a key
OWNERS = """
    accountId account_id accountName owner ownerId owner_name organizationId organisation_id organisationName org_id
    orgName teamId team_name projectId project_id projectName workspaceId workspace_name username userName login
    user_login customer_name tenantName X-Account-ID awsAccountId ownerUUID projectNumber project team workspace
    organization userIds githubUsername billingAccount createdBy
"""
LEAKS = [  # a text, and what of it must go
    ("{'apiKey': 'ab1-cd2'}", "ab1-cd2"),
    ("apiKey: `ab1-cd2`", "ab1-cd2"),
    ("{`token`: `ab1-cd2`}", "ab1-cd2"),
    ("const apiKey = `ab1-cd2`;", "ab1-cd2"),
    (r"{\'apiKey\': \'ab1-cd2\'}", "ab1-cd2"),
    ("x='{&#39;apiKey&#39;: &#39;ab1-cd2&#39;}'", "ab1-cd2"),
    ("{&#34;apiKey&#34;:&#34;ab1-cd2&#34;}", "ab1-cd2"),
    ("{&#x22;apiKey&#x22;:&#x22;ab1-cd2&#x22;}", "ab1-cd2"),
    (r"{\u0022apiKey\u0022:\u0022ab1-cd2\u0022}", "ab1-cd2"),
    ("?state=%7B%22apiKey%22%3A%22ab1-cd2%22%7D", "ab1-cd2"),
    (r"{\x22apiKey\x22:\x22ab1-cd2\x22}", "ab1-cd2"),
    ('window["apiKey"] = "ab1-cd2"', "ab1-cd2"),
    ("config['secret'] = 'ab1-cd2'", "ab1-cd2"),
    ("'password' => 'hunter2'", "hunter2"),
    ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    ('{"Authorization": "Basic dXNlcjpwYXNz"}', "dXNlcjpwYXNz"),
    ("curl -H 'Authorization: Basic dXNlcjpwYXNz'", "dXNlcjpwYXNz"),
    ('curl -H "Proxy-Authorization: Basic dXNlcjpwYXNz" x', "dXNlcjpwYXNz"),
    ("headers.set('Authorization', 'Basic dXNlcjpwYXNz')", "dXNlcjpwYXNz"),
    ("send Basic dXNlcjpwYXNz with it", "dXNlcjpwYXNz"),
    ("Authorization%3A%20Basic%20dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    ('{"password": "correct horse battery"}', "horse"),
    ("{'password': 'correct horse battery'}", "horse"),
    ("password: correct horse battery\nx: 1", "horse"),
    ("DB_PASSWORD=correct horse\n", "horse"),
    ('{"passphrase": "correct horse battery"}', "horse"),
    ('<input type="password" value="correct horse">', "horse"),
    ('{"seedPhrase":"abandon ability able"}', "ability"),
    ('<input name="pwd" value="correct horse">', "horse"),
    ("password = 'correct horse'", "horse"),
    ('{"passwords": ["correct horse"]}', "horse"),
    ("https://hooks.slack.com/services/T0ABCDEFG/B0ABCDEFG/abcdefghijklmnopqrstuvwx", "abcdefghijklmnopqrstuvwx"),
    (
        r"https:\/\/hooks.slack.com\/services\/T0ABCDEFG\/B0ABCDEFG\/abcdefghijklmnopqrstuvwx",
        "abcdefghijklmnopqrstuvwx",
    ),
    ("https%3A%2F%2Fhooks.slack.com%2Fservices%2FT0ABCDEFG%2FB0ABCDEFG%2Fabcdefghijkl", "abcdefghijkl"),
    ("https://discord.com/api/webhooks/1234567890/abc-DEF_ghi", "abc-DEF"),
    ("https://ptb.discordapp.com/api/v10/webhooks/1234567890/abc-DEF_ghi", "abc-DEF"),
    ("https://acme.webhook.office.com/webhookb2/1-2@3/IncomingWebhook/abcdef/4", "abcdef"),
    ("https://hooks.zapier.com/hooks/catch/123/abcdef/", "abcdef"),
    ("https://api.telegram.org/bot123456789:AAF-abcdefghijklmnopqrstuvwxyz012345/send", "abcdefghij"),
    ('{"webhookUrl": "https://acme.io/in/abcdef"}', "abcdef"),
    (f'{{"tokens": ["{K}"]}}', K),
    (f'{{"apiKeys": [{{"value": "{K}"}}]}}', K),
    ('{"apiKeys": ["ab1-cd2"]}', "ab1-cd2"),
    ('{"api": {"key": "ab1-cd2"}}', "ab1-cd2"),
    (f"{{'tokens': ['{K}', '{K}']}}", K),
    (f'{{"tokens": {{"prod": "{K}"}}}}', K),
    (f'{{"tokens": [{{"id": 1, "token": "{K}"}}]}}', K),
    (f'{{"secrets": [["{K}"]]}}', K),
    (f'{{\\"tokens\\": [\\"{K}\\"]}}', K),
    (f"{{&quot;tokens&quot;: [&quot;{K}&quot;]}}", K),
    (f'{{"name":"x","value":"y"}},{{"value":"{K}","type":"string","name":"api_token"}}', K),
    ('{"Key":"Owner","Value":"jane"}', "jane"),
    ('{"name":"account_id","value":998877}', "998877"),
    ('{"value":"ab1-cd2","name":"apiKey"}', "ab1-cd2"),
    *[(f'{{"{n}": "acme-7"}}', "acme-7") for n in OWNERS.split()],
    *[
        (f'{{"{n}": 99887766}}', "99887766")
        for n in ("accountId", "ownerId", "organization_id", "teamId", "project_id", "userId", "account", "AccountID")
    ],
    ('{"owner": {"id": 12345, "name": "jane"}}', "12345"),
    ('{"owner": {"id": 12345, "name": "jane"}}', "jane"),
    ('{"owner": {"profile": {"name": "jane"}}}', "jane"),
    ('{"owners": [{"id": 12345}, {"id": 12346, "name": "jane"}]}', "jane"),
    ('{"users": ["jane", "joe"]}', "joe"),
    ('{"accountIds": [12345, 67890]}', "67890"),
    ("{owner: {id: 12345, name: 'jane'}}", "jane"),
    ("{owner: {id: 12345, name: 'jane'}}", "12345"),
    (r"{\"owner\":{\"id\":12345,\"name\":\"jane\"}}", "jane"),
    ("{&quot;team&quot;:{&quot;name&quot;:&quot;jane&quot;}}", "jane"),
    ('{"organization": {"edges":[{"node": {"id": "x1", "displayName": "Acme"}}]}}', "Acme"),
    ('{"data": {"user": {"login": "jane", "address": "12 Main"}}}', "12 Main"),
    ('{"project": {"id": "p-1", "labels": {"a": "b"}, "name": "acme-gpu"}}', "acme-gpu"),
    ('{"owner": {"bio": "a { b", "name": "jane"}}', "jane"),
    ('{"owner": {"bio": "<b>x</b>", "name": "jane"}}', "jane"),
    *[
        (f'{{"{n}": "$2b$10$abc"}}', "abc")
        for n in ("password_hash", "passwordHash", "hashed_password", "passwordDigest", "pwd_hash", "password_salt")
    ],
    *[
        (f'{{"{n}": "+1 415 555 0100"}}', "555")
        for n in (
            "phone",
            "phoneNumber",
            "phone_number",
            "contactPhone",
            "mobile",
            "tel",
            "fax",
            "telephone",
            "mobileNo",
            "whatsapp",
        )
    ],
    ('{"phone": 4155550100}', "4155550100"),
    ("phone: +49 (30) 123-4567", "123"),
    ("Tel: 030 1234567, H100", "1234567"),
    ('<a href="tel:+14155550100">', "4155550100"),
    ('<input type="tel" value="415-555-0100">', "555"),
    ('{"phones": ["+1 415 555 0100"]}', "555"),
    ("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7abcdefgh jane@laptop", "abcdefgh"),
    ("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7abcdefgh jane@laptop", "laptop"),
    ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJabcdefghijklmnop", "abcdefgh"),
    (r'"ssh-rsa AAAAB3NzaC1yc2E\/AAADAQABAAABgQC7abcdefgh"', "abcdefgh"),
    ("ssh-rsa%20AAAAB3NzaC1yc2EAAAADAQAB%2BAAABgQC7abcdefgh", "abcdefgh"),
    ("ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmabcdefgh x", "abcdefgh"),
    ("sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guabcdefgh", "abcdefgh"),
    *[
        (f"mail jane{a}acme.com now", "jane")
        for a in (
            "@",
            "\\u0040",
            "\\\\u0040",
            "\\x40",
            "%40",
            "%2540",
            "&#64;",
            "&#064;",
            "&#x40;",
            "&#X40;",
            "&commat;",
            "&amp;#64;",
            "[at]",
            " (at) ",
        )
    ],
    *[(f"mail jane.doe@acme{d}com now", "jane") for d in ("\\u002e", "%2E", "&#46;", "&period;", "[dot]")],
    ("mailto%3Ajane%40acme.com", "jane"),
    (r'"\u003cjane@acme.com\u003e"', "jane"),
    (r'"a\njane@acme.com"', "jane"),
    ("".join(f"&#{ord(c)};" for c in "jane@acme.com"), "&#106;"),
    ("".join(f"&#x{ord(c):x};" for c in "jane@acme.com"), "&#x6a;"),
    ('<a data-cfemail="543e353a311435373931">', "543e"),
    ('href="/cdn-cgi/l/email-protection#543e353a3114"', "543e"),
    ("<AccountId>998877</AccountId>", "998877"),
    ("<apiKey>ab1-cd2</apiKey>", "ab1-cd2"),
    ("<dt>Account ID</dt><dd>99887766</dd>", "99887766"),
    (f"<th>API key</th><td><code>{K}</code></td>", K),
    ("/v1/projects/my-lab-421337/zones/us-central1/x", "my-lab"),
    ("/subscriptions/550e8400-e29b-41d4-a716-446655440000/resourceGroups", "550e8400"),
    ("projects/acme/locations/us", "acme"),
    ("/accounts/123456789012/x", "123456789012"),
    ("ocid1.tenancy.oc1..aaaaaaaabcdefgh", "aaaaaaaabcdefgh"),
    ("crn:v1:bluemix:public:is:us-south:a/0123456789abcdef0123456789abcdef::", "0123456789abcdef"),
    ("?project_id=acme&x=1", "acme"),
    ("&amp;user=jane&amp;x", "jane"),
    ("/x?owner_id=5&a", "=5&"),
    ("username: jane\n", "jane"),
    ("export API_KEY=ab1cd2ef\n", "ab1cd2ef"),
    ("password=hunter2 x", "hunter2"),
    ("<div data-team-id=\"7\" data-owner-name='jane'>", "jane"),
    ("<div data-account-id=99887766>", "99887766"),
    ("accountId: 99887766,", "99887766"),
    ('["apiKey","' + K + '"]', K),
    ('{"credentials": "' + K + '"}', K),
    ('{"cookie": "sid=ab1; x=2"}', "ab1"),
    ('{"API Key": "ab1-cd2"}', "ab1-cd2"),
    ('{"Account ID": "acme-7"}', "acme-7"),
    ('{"apiKey": 1234567890}', "1234567890"),
    ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nabcdef\n-----END PGP PRIVATE KEY BLOCK-----", "abcdef"),
    ("https://0123456789abcdef0123456789abcdef@o1.ingest.sentry.io/2", "0123456789abcdef"),
    ("jdbc:postgresql://db/x?user=jane&password=a b", "jane"),
]
LOOK_ALIKES = [
    "<td>Team</td><td>1000000 tokens</td>",
    "Project: 2026-10-01, owner 20261001, 1000000 tokens per user: 1000000",
    '{"team": {"id": "team", "name": "Team", "price": 49}}',
    '{"plans": {"organization": {"name": "Organization", "priceMonthly": "$49", "id": 12}}}',
    '{"projects": [{"name": "H100 SXM", "gpu_count": 8, "hourly": 2.1}]}',
    '{"team": "$20 per month", "project": 20, "workspace": 49.5}',
    '{"users": 5000, "teams": 12, "maxProjects": 10, "max_users": "50"}',
    '{"host_type": "ECS", "hosting_type": 0, "hosting": "secure"}',
    '{"owner_type": "organization", "account_type": "business", "user_agent": "x", "team_size": 5}',
    '{"token_count": 4096, "max_tokens": 131072, "tokens": 1000000}',
    '{"tokens_per_second": 95.2, "tokenizer": "llama-3-tokenizer"}',
    '{"tokens": ["0.25", "15.00"], "tokens2": [1, 2]}',
    '{"tokens": {"input": "0.25", "output": "1.00", "unit": "per-million"}}',
    '{"tokens": [{"model": "llama-3.1-70b", "price": "0.25"}]}',
    '{"credentials": "include"}',
    '{"sessions": "on-demand-reserved"}',
    '{"id": "gpu-h100x8-640gb", "sku": "sk-h100", "slug": "gpu_8x_h100_sxm5", "instanceTypeId": "p5.48xlarge"}',
    '{"key": "h100-sxm-80gb", "serviceKey": "gpu-h100-onDemand", "storage_key": "nvme-ssd-1", "public_key": ""}',
    '{"name": "nvidia-h100-80gb", "displayName": "NVIDIA H100 80GB"}',
    '{"family_name": "Hopper", "full_name": "NVIDIA H100 SXM"}',
    '{"mobile": "1920x1080", "phone": "", "tablet": 768, "mobile": 480}',
    '{"driver": "550.54.15.01", "login": ""}',
    '{"name": "price", "value": "2.49"}',
    '{"name": "tokens", "value": "1000000"}',
    '{"name":"GPU","value":"H100"}',
    '{"name": "Team", "value": "$49"}',
    '{"label": "Sessions", "value": "on-demand"}',
    "The basic subscription, Basic Configuration",
    "token based pricing: 0.25",
    "passwordless",
    "<input type='number' value='8'>",
    '<input type="hidden" name="plan" value="h100-sxm-80gb">',
    '<meta property="og:title" content="H100 from $2.49">',
    "https://acme.io/docs/webhooks/events",
    "/webhooks/overview and hooks: use",
    "/projects/h100-cluster/",
    "/users/guide",
    "/accounts/pricing",
    "projects/nvidia",
    "logo@2x.png logo@2x.jpg",
    "12 @ $2.49, 8x@H100",
    "a @ b.c",
    "font-face{src:url(a%40b)}",
    "user@host",
    "8 GPUs [at] once",
    "user.name === 'admin'",
    "a ? b : c",
    "team => { return 2 }",
    ".account:hover{color:red} .team{order:5}",
    "std::token::value",
    "const user = getUser();",
    "for (const token of tokens) {}",
    "per user: 10 GB, Team: 20 USD",
    "Team | Price: $20",
    "Project: H100 cluster",
    "Customer: 24/7 support",
    "AAAA rated, AAAABBBB",
    "ssh-rsa keys are supported",
    "ssh access: yes",
    "SSH: ssh-ed25519",
    "&#36;2&#46;49&#47;hr",
    "&#72;&#49;&#48;&#48;",
    "<Name>H100</Name><Token>0.25</Token>",
    "<td>Token</td><td>gpu-h100x8-640gb</td>",
    "['host_id', 'account', 'token', 'price']",
    '["account_id","price"]',
    "account_id,price,token\nx,2.49,5\n",
    "price: 2.49\nregion: us-east-1\ngpu: H100\nplan: team\n",
    "?region=us-east-1&gpu=h100&plan=h100-sxm-80gb-pcie5-1234567890&team_size=5",
    '{"hooks": ["a"], "authors": 3, "signature": "", "session": null, "user": null, "account": true}',
    '{"project": null, "org": {}, "users": []}',
    '{"phones": 3, "tel": 5}',
    '{"region": "us-east-1", "regions": ["us", "eu"]}',
    '{"a": [[1,2],[3,4]], "b": {"c": "]"}}',
    '{"subscription": "pro", "subscription_type": "monthly", "host": "aws", "client": "web"}',
    '{"customers": {"h100": {"price": 2.49}}}',
    '{"user": {"price": 2.49, "gpu": "H100"}, "name": "H100", "id": "h100"}',
    '{"owner": {"gpu": "H100"}, "offers": [{"id": "h100", "name": "H100", "price": 2.49}]}',
    '{"user": null, "offers": [{"id": "h100", "name": "H100"}]}',
    '{"organizations": 5, "list": [{"name": "H100"}]}',
    "if (user = { [x] }) {}; offers = [{id: 'h100', name: 'H100'}]",
]


@pytest.mark.parametrize(("text", "private"), LEAKS)
def test_it_goes_in_whatever_notation(text: str, private: str):
    assert private in text
    assert private not in without_private(text)
    assert without_private(f"{text}\n<b>$2.49 /hr</b>").endswith("\n<b>$2.49 /hr</b>"), "the price went with it"


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_looks_like_it_stays(text: str):
    assert without_private(text) == text


def _shape(value: object) -> object:
    if isinstance(value, dict):
        return {name: _shape(inner) for name, inner in value.items()}
    return [_shape(inner) for inner in value] if isinstance(value, list) else None


@pytest.mark.parametrize("text", [text for text, _ in LEAKS if text.startswith('{"') and "}," not in text])
def test_what_was_json_is_json_of_the_same_shape(text: str):
    assert _shape(json.loads(without_private(text))) == _shape(json.loads(text))


def test_a_key_beside_a_price_takes_nothing_of_the_offer_with_it():
    offer = {"id": "h100-sxm", "gpu": "H100", "price": "2.4900", "tokens": 4096, "regions": ["us-east-1"]}
    page = {"owner": {"id": 7, "name": "Acme"}, "apiKeys": [{"value": K}], "offers": [offer, {**offer, "host_id": 5}]}
    cleaned = json.loads(without_private(json.dumps(page)))
    assert cleaned["offers"] == [offer, {**offer, "host_id": None}]
    assert (cleaned["owner"], cleaned["apiKeys"]) == ({"id": None, "name": None}, [{"value": None}])
