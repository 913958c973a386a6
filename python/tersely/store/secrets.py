"""Mask what looks like a secret: keys, tokens, passwords, private keys. A net with holes, not a promise."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

__all__ = ["mask_mapping", "mask_secrets"]

# (kind, pattern): what is masked is the group "secret", or the whole match. The forms are those that their
# issuers document. A run of characters is read a bounded number of times: what repeats is bounded, or cannot
# begin inside itself, so that time is linear.
_APART = r"(?<![A-Za-z0-9_\-])"
_PATTERNS = (
    (
        "private key",
        r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[^\-]|-(?!----))*"
        r"-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----",
    ),
    ("AWS key id", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})"),
    ("GitLab token", _APART + r"glpat-[A-Za-z0-9_\-]{20,255}"),
    ("Slack token", _APART + r"xox[abeoprs]-[A-Za-z0-9\-]{10,255}"),
    ("Stripe key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}"),
    ("Google key", _APART + r"AIza[A-Za-z0-9_\-]{35}"),
    ("API key", _APART + r"sk-[A-Za-z0-9_\-]{20,255}"),
    ("npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("PyPI token", _APART + r"pypi-[A-Za-z0-9_\-]{32,255}"),
    ("JWT", _APART + r"eyJ[A-Za-z0-9_\-]{10,4096}\.[A-Za-z0-9_\-]{10,8192}\.[A-Za-z0-9_\-]{10,4096}"),
    ("bearer token", r"(?i:\bbearer )(?P<secret>[A-Za-z0-9._~+/\-]{16,4096}=*)"),
    ("password in a URL", r"\b[a-z][a-z0-9+.\-]{1,20}://[^\s:/@]{0,100}:(?P<secret>[^\s:/@]{1,200})@"),
    (
        "password",
        r"(?i:(?:password|passwd|pwd|secret|secret_key|api_key|apikey|api-key|access_key|access_token|"
        r"auth_token|client_secret)[\"']?\s{0,3}[:=]\s{0,3})[\"']?"
        r"(?P<secret>(?!\[masked: |[\w.]*[(\[{])[^\s\"',;]{6,500})",
    ),
)
_COMPILED = tuple((kind, re.compile(pattern)) for kind, pattern in _PATTERNS)


def mask_secrets(text: str) -> tuple[str, int]:
    """Put `[masked: KIND]` for every secret that is recognized; return the text and how many. Linear."""
    total = 0
    for kind, pattern in _COMPILED:
        text, count = pattern.subn(partial(_masked, kind), text)
        total += count
    return text, total


def mask_mapping(mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Mask the secrets in every text of a mapping, however deep; keys stay."""
    return {key: _mask_value(value, str(key)) for key, value in mapping.items()}


def _mask_value(value: Any, key: str = "") -> Any:
    if isinstance(value, str):
        masked, count = mask_secrets(f"{key}={value}")  # {"password": "..."} is one, too
        return masked.partition("=")[2] if count and masked.startswith(f"{key}=") else mask_secrets(value)[0]
    if isinstance(value, Mapping):
        return mask_mapping(value)
    if isinstance(value, (list, tuple)):
        return [_mask_value(item) for item in value]
    return value


def _masked(kind: str, match: re.Match[str]) -> str:
    start, end = match.span("secret") if "secret" in match.re.groupindex else match.span()
    whole, first = match.group(), match.start()
    return f"{whole[: start - first]}[masked: {kind}]{whole[end - first :]}"
