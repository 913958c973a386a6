"""Secrets are masked on the way in, when that is asked for, and it is said that they were."""

from __future__ import annotations

from pathlib import Path

import pytest
import tersely
from growth import MOST, growth
from hypothesis import given, strategies as st
from tersely import NotReversibleError
from tersely.store import Store
from tersely.store.intake import mask_mapping, mask_secrets

# Made up, in pieces, so that no scanner takes this file for a leak.
B64 = "MIIEpAIBAAKCAQEAx0ZP7aC3v5Vd" * 3
SECRETS = {
    "private key": f"-----BEGIN RSA PRIVATE KEY-----\n{B64}\n{B64}\n-----END RSA PRIVATE KEY-----",
    "AWS key id": "AKIA" + "IOSFODNN7EXAMPLE",
    "GitHub token": "ghp_" + "a1B2" * 9,
    "GitLab token": "glpat-" + "x1y2z3" * 4,
    "Slack token": "xoxb-" + "123456789012-abcdefABCDEF",
    "Stripe key": "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "Google key": "AIza" + "SyA1234567890abcdefghijklmnopqrstuv",
    "API key": "sk-proj-" + "abcDEF123456_-abcDEF123456",
    "npm token": "npm_" + "a1B2c3" * 6,
    "PyPI token": "pypi-" + "AgEIcHlwaS5vcmcCJDU1Y2Y4" * 2,
    "JWT": "eyJhbGciOiJIUzI1NiJ9."
    + "eyJzdWIiOiIxMjM0NTY3ODkwIn0."
    + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
}
IN_CONTEXT = {
    "bearer token": ("Authorization: Bearer ", "abcdef0123456789.abc", "\n"),
    "password in a URL": ("postgres://admin:", "hunter2!x", "@db.local/app"),
    "password": ('"password": "', "correct-horse", '", "user": "ada"'),
}


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_masked_wherever_it_stands(kind: str) -> None:
    for before, after in (("", ""), ("key is ", " and more"), ("日本 ", "\n"), ("(", ")")):
        assert mask_secrets(before + SECRETS[kind] + after) == (f"{before}[masked: {kind}]{after}", 1)


@pytest.mark.parametrize("kind", IN_CONTEXT)
def test_a_secret_that_only_its_place_shows(kind: str) -> None:
    before, secret, after = IN_CONTEXT[kind]
    assert mask_secrets(before + secret + after) == (f"{before}[masked: {kind}]{after}", 1)


@pytest.mark.parametrize(
    "text",
    [
        "The password is stored as a hash; see auth.py line 45.",
        "tokens = count(text)  # at most 200 tokens",
        "sk-learn, AKIA, ghp_, eyJ, https://example.com/a:b, user@example.com",
        "sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "http://localhost:8080/path@2x.png",
        "password = getpass.getpass()\npassword=os.environ['PGPASS']\nsecret = {}",
        "",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask_secrets(text) == (text, 0)


def test_masking_twice_changes_nothing_more() -> None:
    text = "\n".join([*SECRETS.values(), *("".join(parts) for parts in IN_CONTEXT.values())])
    masked, count = mask_secrets(text)
    assert count == len(SECRETS) + len(IN_CONTEXT) and mask_secrets(masked) == (masked, 0)
    assert not any(secret in masked for secret in SECRETS.values())


@given(st.text(max_size=200))
def test_any_text_is_taken(text: str) -> None:
    masked, count = mask_secrets(text)
    assert count > 0 or masked == text


@pytest.mark.growth
@pytest.mark.parametrize(
    "piece",
    [
        "-----BEGIN PRIVATE KEY-----",
        "eyJ",
        "eyJaaaaaaaaaaa.",
        "db://b:",
        "password=",
        "sk-",
        "bearer ",
        "aaaa",
    ],
)
def test_masking_takes_linear_time(piece: str) -> None:
    assert growth(lambda size: piece * (size // len(piece)), mask_secrets) < MOST


def test_mappings_are_masked_with_their_keys() -> None:
    given_ = {
        "password": "hunter22",
        "note": "x",
        "deep": [{"url": "db://b:secret@c"}, 7, None],
        "n": {"k": True},
    }
    assert mask_mapping(given_) == {
        "password": "[masked: password]",
        "note": "x",
        "deep": [{"url": "db://b:[masked: password in a URL]@c"}, 7, None],
        "n": {"k": True},
    }


def test_masked_originals_are_said_not_to_be_there(tmp_path: Path) -> None:
    path, key = tmp_path / "texts.sqlite", SECRETS["AWS key id"]
    with Store.open(path, mask_secrets=True) as store:
        assert store.put("nothing secret", id="plain").masked == 0
        version = store.put(f"the key is {key}.", id="a", metadata={"token": SECRETS["GitHub token"]})
        assert version.masked == 1 and store.get("a").masked == 1
        store.replace("a", f"key {key}", preserved_metadata={"key": key})
        assert store.get("a").text == "key [masked: AWS key id]"
        with pytest.raises(NotReversibleError, match="'a' was not stored as it was: 1 secret"):
            store.expand("a")
        assert store.expand("a", masked=True) == "the key is [masked: AWS key id]."
        assert store.records("a")[0].preserved_metadata == {"key": "[masked: AWS key id]"}
        assert store.expand("plain") == "nothing secret"
        kept = store.keep(tersely.compress(f"Key {key} is old.", budget=50, counter="chars/4"))
        with pytest.raises(NotReversibleError):
            store.expand(kept, document=0)
    everything = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert key.encode() not in everything and SECRETS["GitHub token"].encode() not in everything


def test_nothing_is_masked_unasked(tmp_path: Path) -> None:
    with Store.open(tmp_path / "texts.sqlite") as store:
        store.put(SECRETS["API key"], id="a")
        assert store.expand("a") == SECRETS["API key"]
