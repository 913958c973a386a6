"""Mask secrets in texts that are to be stored: tokens by the forms that their issuers document, others by
where they stand (named, in a header, a URL, a command). What is masked is never stored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

# Time is linear: what repeats is bounded, or cannot begin inside itself.
_APART = r"(?<![A-Za-z0-9_\-])"
_WORD, _WIDE, _HEX = "[A-Za-z0-9]", r"[A-Za-z0-9_\-]", "[0-9a-f]"

# Tokens that tell by their first characters whose they are: (kind, prefix, characters, fewest of these).
_TOKENS = (
    ("GitHub token", "gh[pousr]_", _WORD, 36),
    ("GitHub token", "github_pat_", "[A-Za-z0-9_]", 22),
    ("GitLab token", "gl(?:pat|ptt|dt|rt|rtr|soat|cbt|ft|imt|agent|oas|ffct)-", _WIDE, 20),
    ("Slack token", "xox[abceoprs]-", r"[A-Za-z0-9\-]", 10),
    ("Slack token", r"xapp-\d-", r"[A-Za-z0-9\-]", 20),
    ("Stripe key", "[rs]k_(?:live|test)_|whsec_", _WORD, 16),
    ("Google key", "AIza", _WIDE, 35),
    ("Google token", r"GOCSPX-|ya29\.|1//0", r"[A-Za-z0-9_\-.]", 24),
    ("API key", "sk-", _WIDE, 20),
    ("npm token", "npm_", _WORD, 36),
    ("PyPI token", "pypi-", _WIDE, 32),
    ("AWS key id", "(?:AKIA|ASIA|ABIA|ACCA)(?=[A-Z0-9]{16}(?![A-Za-z0-9]))", "[A-Z0-9]", 16),
    (
        "token",
        "hf_|api_org_|r8_|gsk_|xai-|pplx-|nvapi-|csk-|pcsk_|tvly-|jina_|tgp_v1_|bkua_|CCIPAT_|"
        "dckr_(?:pat|oat)_|do[opr]_v1_|rubygems_|cio(?=[A-Za-z0-9]{32}(?![A-Za-z0-9]))|CLOJARS_|HRKU-|tfp_|pn[ua]_|"
        "sq[uap]_|sgp_|tskey-(?:auth|api|client|scim|webhook)-|AKCp|shp(?:at|ca|pa|ss)_|sq0(?:atp|csp)-|"
        "ATATT3|ATCTT3|ATBB|PMAK-|CFPAT-|fm[12]_|fo1_|sbp_|sb_secret_|pscale_(?:tkn|pw|oauth)_|nfp_|vcp_|"
        "glsa_|glc_|NRAK-|NRII-|sntry[su]_|lin_(?:api|oauth)_|ntn_|fig[duo]_|lsv2_(?:pt|sk)_|xkeysib-|"
        "FLWSECK(?:_TEST)?-|EZ[AT]K|p8e-|EAAC|AGE-SECRET-KEY-1",
        r"[A-Za-z0-9_\-+/=]",
        20,
    ),
    ("token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.|hv[sbr]\.|SG\.|sl\.|sk\.eyJ", r"[A-Za-z0-9_\-.]", 24),
    ("token", "(?:fw_|napi_|rnd_|ph[xs]_|re_[A-Za-z0-9]{8}_)", _WORD, 24),
    ("token", "dapi|pul-", _HEX, 32),
    ("token", rf"pat{_WORD}{{14}}\.", _HEX, 32),
    ("token", rf"{_WORD}{{14}}\.atlasv1\.", _WIDE, 40),
    ("token", rf"{_WIDE}{{3}}[0-9]Q~", r"[A-Za-z0-9_\-.~]", 30),
    ("token", rf"[MNO]{_WIDE}{{23,27}}\.{_WIDE}{{6}}\.", _WIDE, 27),
    ("token", "bot[0-9]{8,10}:|(?<!bot)(?<![:.])[0-9]{8,10}:AA", _WIDE, 33),
)

_NOT_MASKED = r"(?!\[masked: )"
# A value that is none: a call, a variable, a place to fill in, a word that says what one is.
_NO_VALUE = (
    _NOT_MASKED + r"(?![\w.]{0,100}(?:[(\[{]|::))"
    r"(?!\$[({]|\$[A-Z_][A-Z0-9_]*(?![\w$])|%\w{1,50}%|[<*=]|\.\.\.|…|(?i:your[_\- ]))"
    r"(?!(?i:str(?:ing)?|text|bytes|int(?:eger)?|bool(?:ean)?|none|null|nil|true|false|undefined|empty|hidden|"
    r"required|optional|invalid|incorrect|missing|expired|unknown|redacted|changed|wrong|accepted|rejected|"
    r"(?:self|this|cls|args|config|settings|user|request|options|opts|ctx|env|os|process|form|data)\.[\w.]+)"
    r"(?![\w\-]))"
)
# Of code: what has the name of a secret, or a path.
_NO_REFERENCE = (
    r"(?!(?:[A-Za-z_]\w{0,40}\.){0,4}\w{0,20}(?i:password|passwd|pwd|secret|token|key)(?![\w\-]))"
    r"(?![/~][\w./\-]*(?:\s|$))"
)
_RANDOM = r"(?=[^\s\"'&;,]{0,60}\d)(?=[^\s\"'&;,]{0,60}[A-Za-z])"  # letters and digits

_NO_WORD = r"(?!0x|[A-Za-z_.\-]+\d{1,2}(?!\w))"  # no number, and no word with one or two digits


def _value(least: int, more: str = "", *, quoted: int | None = None, bare: str = "") -> str:
    """A value of at least so many characters: in quotes, or up to white space; three groups."""
    fewest = least if quoted is None else quoted
    double, single = (f"{q}({_NO_VALUE}{more}[^{q}\\n]{{{fewest},500}}){q}" for q in "\"'")
    return rf"(?:{double}|{single}|[\"']?({_NO_VALUE}{bare}{more}[^\s\"',;]{{{least},500}}))"


_IS = r"[\"']?\s{0,3}[:=]\s{0,3}"

# What stands before "=", ":" or a value in markup, as `_squeezed`, and what a value must be: anything of six
# characters, or letters and digits.
_PASSWORDS = (
    *("password", "passwd", "passwort", "passphrase", "passcode", "pwd", "contraseña", "contrasena", "senha"),
    *("wachtwoord", "motdepasse", "пароль", "密码", "密碼", "パスワード", "비밀번호"),
    *("secret", "secretkey", "secretkeybase", "apikey", "accesskey", "accesstoken", "authtoken"),
)
_KEYS = (
    *(f"{one}key" for one in ("account", "private", "app", "storage", "master", "encryption", "encrypt")),
    *(
        f"{one}key"
        for one in ("signing", "license", "service", "deploy", "preshared", "subscription", "auth")
    ),
    *(f"{one}token" for one in ("refresh", "id", "session", "bot", "personal", "api", "deploy", "security")),
    *("clientkeydata", "psk", "credential", "credentials"),
)
_PAGES = (
    "pagetoken",
    "nexttoken",
    "continuationtoken",
    "synctoken",
    "canceltoken",
)  # what an agent goes on with
_LONGEST = 24  # characters of a name that are looked at
_SEPARATOR = re.compile(r"(?:[\"'] {1,3}value=|:=|=>|[:=>])\s{0,3}")
_SQUEEZED = str.maketrans("", "", "_- .\"'[]")
_ANY_VALUE = re.compile(_value(6, quoted=4, bare=_NO_REFERENCE))
_KEY_VALUE = re.compile(_value(8, _RANDOM, bare=_NO_REFERENCE))
_TOKEN_VALUE = re.compile(_value(8, _NO_WORD + _RANDOM))  # the name stands in code that parses, too
_TAG = re.compile(r"<[\w:\-]{1,60}\Z")
_IN_MARKUP = re.compile(rf"({_NO_VALUE}[^<>\s][^<>\n]{{3,500}})<")

_ANY_NAME = r"(?:password|passwd|pwd|passphrase|secret|token|api_?key|access_?key)"
_BLOCKS = (
    (
        "private key",
        r"(-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[^\-]|-(?!----))*"
        r"-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----)",
    ),
    ("private key", r"Private-Lines: \d{1,4}\s{1,2}((?:[A-Za-z0-9+/=]{4,100}\s?)+)"),
    ("password hash", r"(\$(?:[156y]|apr1|2[abxy]|argon2id?)\$[./A-Za-z0-9$=,+]{20,200})"),
)
_STARTS = (  # of a word
    ("JWT", r"(eyJ[A-Za-z0-9_\-]{10,4096}\.[A-Za-z0-9_\-]{10,8192}\.[A-Za-z0-9_\-]{10,4096})"),
    *(
        (kind, rf"((?:{prefix})(?=\S{{0,60}}\d){characters}{{{least},600}})")
        for kind, prefix, characters, least in _TOKENS
    ),
)
_PLACES = (
    ("bearer token", r"(?i:bearer )([A-Za-z0-9._~+/\-]{16,4096}=*)"),
    (
        "authorization",
        rf"(?i:authorization{_IS}[\"']?(?!bearer )[a-z][a-z0-9\-]{{1,20}}[ =])"
        rf"({_NOT_MASKED}[^\s\"',][^\s\"']{{7,4096}})",
    ),
    ("authorization", rf"(?i:authorization{_IS}){_value(16, _RANDOM)}"),
    ("authorization", rf"(?i:x-[a-z\-]{{0,30}}(?:key|token|auth|secret|api){_IS}){_value(8, _RANDOM)}"),
    (
        "webhook",
        r"(?:hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/webhooks/\d{1,30}/|"
        r"api\.telegram\.org/bot|webhook\.office\.com/webhookb2/)([^\s\"'<>?]{16,300})",
    ),
    ("password in a URL", r"[a-z][a-z0-9+.\-]{1,20}://[^\s:/@]{0,100}:([^\s:/@]{1,200})@"),
    ("password in a URL", r"[a-z][a-z0-9+.\-]{1,20}://((?=[A-Za-z_\-]{0,60}\d)[A-Za-z0-9_\-]{20,200})@"),
    ("authorization", r"auth\"\s?:\s?\"([A-Za-z0-9+/]{16,2000}=*)"),
    (
        "cookie",
        r"(?i:(?:j?session[_\-]?(?:id)?|phpsessid|[a-z.]{0,20}\bsid|[a-z_]{1,20}_session)=)"
        rf"{_value(8, _RANDOM)}",
    ),
    ("password", rf"(?i:(?:[a-z0-9]{{1,20}}_){{0,3}}pass ?= ?){_value(6, quoted=4, bare=_NO_REFERENCE)}"),
    # Of command lines and files of settings: what comes after a space.
    ("password", rf"(?i:(?:login|user|account) \S{{1,100}}\s{{1,4}}password\s{{1,4}}){_value(4)}"),
    ("password", rf"(?i:env|arg|export|setx?)\s{{1,3}}\w{{0,50}}(?i:{_ANY_NAME})\s{{1,3}}{_value(6)}"),
    ("password", rf"(?:mysql|mariadb)[a-z\-]{{0,10}}\b[^\n|;&]{{0,200}}? -p{_value(4)}"),
    (
        "password",
        r"(?:sshpass|(?:docker|podman|helm registry|az|oc|skopeo) login)\b"
        rf"[^\n|;&]{{0,200}}? -p ?{_value(4)}",
    ),
    ("password", rf"redis-cli\b[^\n|;&]{{0,200}}? -a {_value(4)}"),
    (
        "password",
        r"(?:curl|wget|https?|xh) (?:[^\n|;]{0,300}? )?"
        r"(?:-[a-zA-Z]{0,5}u|--user|-a|--auth|--proxy-user|-U) ?[\"']?"
        rf"[^\s:\"']{{0,100}}:{_value(4)}",
    ),
    (
        "password",
        rf"(?:auth ?= ?|HTTP(?:Basic|Digest)Auth|BasicAuth)\( ?[\"'][^\"'\n]{{0,100}}[\"'], ?{_value(4)}",
    ),
    ("password", rf"ConvertTo-SecureString(?: -String)? {_value(4)}"),
    (
        "password",
        r"(?i:(?:password|passwort|passphrase|passcode|contraseña|senha|pin) (?:is|was|to|ist|est|es) )"
        r"(?=\S{0,60}\d)(?=\S{0,60}[A-Za-z])(?=\S{0,60}[A-Z!@#$%^&*?+=~])(?=\S{0,60}[a-z])"
        rf"{_value(8)}",
    ),
)
_AFTER_SPACE = (
    (
        "password",
        r"(?i:--?(?:[a-z]{1,20}-){0,3}(?:password|passwd|pass|pw|passphrase|secret|api-?key|access-?key|auth-?key)"
        rf"[ =])(?![A-Z_\-]+(?:\s|$)){_value(4)}",
    ),
    ("token", rf"(?i:--?(?:[a-z]{{1,20}}-){{0,3}}token[ =]){_value(12, _NO_WORD + _RANDOM)}"),
)
_IN_LINES = (
    ("password", r"(?:[^\s:#]{1,100}:(?:54\d\d|6432|\*):[^\s:]{1,63}:[^\s:]{1,63}:(\S{1,200}))(?![^\r\n])"),
)
_IN_URLS = (
    (
        "token in a URL",
        r"(?i:(?:[a-z]{1,20}[_\-]){0,3}(?:token|sig|signature|key|apikey|secret|password|pwd|auth|"
        rf"access_token|credential)=)({_NOT_MASKED}{_RANDOM}[^\s\"'&#<>]{{8,2000}})",
    ),
)


# What is looked for where: the kind of each group, and the pattern. The first that finds a place has it.
_COMPILED = tuple(
    (
        [kind for kind, pattern in entries for _ in range(re.compile(pattern).groups)],
        re.compile(f"{before}(?:{'|'.join([pattern for _, pattern in entries])})"),
    )
    for before, entries in (
        ("", _BLOCKS),
        (r"(?<![A-Za-z0-9_])", _STARTS),
        (r"\b", _PLACES),
        ("[?&]", _IN_URLS),
        (r"(?<!\S)", _AFTER_SPACE),
        (r"(?m:^)", _IN_LINES),
    )
)
_COOKIES = re.compile(rf"(?i:\b(?:set-)?cookie{_IS})[^\r\n]{{1,4096}}")
_PAIR = re.compile(
    rf"(?<![^\s;])(?i:(?!domain|path|expires|max-age)[^\s=;]{{1,100}})=({_NOT_MASKED}{_RANDOM}[^\s;,\"']{{8,4096}})"
)

# Characters that nobody sees, and letters as wide as Chinese ones: a name that holds them is read without.
_UNSEEN = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_ODD = re.compile(f"[{_UNSEEN}\uff01-\uff5e]")


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    kind: str


def mask_secrets(text: str) -> tuple[str, int]:
    """Put `[masked: KIND]` for every secret that is recognized; return the text and how many. Linear."""
    found = _find(text)
    if not text.isascii() and _ODD.search(text):
        found = _joined([*found, *_find_read(text)], len(text))
    parts, at = [], 0
    for one in found:
        parts += [text[at : one.start], f"[masked: {one.kind}]"]
        at = one.end
    return "".join([*parts, text[at:]]) if found else text, len(found)


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


def _find(text: str) -> list[_Found]:
    """Find the secrets of a text, in order and apart."""
    return _joined(_places(text), len(text))


def _places(text: str) -> Iterator[_Found]:
    for kinds, pattern in _COMPILED:
        for match in pattern.finditer(text):
            group = match.lastindex or 0
            yield _Found(*match.span(group), kinds[group - 1])
    for header in _COOKIES.finditer(text):
        for pair in _PAIR.finditer(text, *header.span()):
            yield _Found(*pair.span(1), "cookie")
    for separator in _SEPARATOR.finditer(text):
        start, end = separator.span()
        name = text[max(0, start - _LONGEST) : start].translate(_SQUEEZED).lower()
        if name.endswith(_PAGES):
            continue
        if name.endswith(_PASSWORDS):
            kind, value = "password", _ANY_VALUE.match(text, end)
        elif name.endswith(_KEYS):
            kind, value = "secret", _KEY_VALUE.match(text, end)
        elif name.endswith("token"):
            kind, value = "token", _TOKEN_VALUE.match(text, end)
        else:
            continue
        if text[start] == ">":
            tagged = _TAG.search(text, max(0, start - 60), start)
            value = _IN_MARKUP.match(text, end) if tagged else None
        if value:
            yield _Found(*value.span(value.lastindex or 0), kind)


def _joined(found: Iterable[_Found], characters: int) -> list[_Found]:
    """Keep the first found of places that overlap; sort them by place. O(characters)."""
    taken, kept = bytearray(characters), list[_Found]()
    for one in found:
        if taken.find(1, one.start, one.end) < 0:
            taken[one.start : one.end] = b"\1" * (one.end - one.start)
            kept.append(one)
    return sorted(kept, key=lambda one: one.start)


def _find_read(text: str) -> list[_Found]:
    """Find the secrets of a text, read without invisible characters and with wide letters as plain ones."""
    places = [at for at, one in enumerate(text) if one not in _UNSEEN]
    wide = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
    read = "".join([text[at] for at in places]).translate(wide)
    return [_Found(places[one.start], places[one.end - 1] + 1, one.kind) for one in _find(read)]
