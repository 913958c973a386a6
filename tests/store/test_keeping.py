"""A store keeps, masks, and shares between threads, processes and forks."""

from __future__ import annotations

import fcntl
import subprocess
import sys
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import tersely
from growth import MOST, growth
from hypothesis import given, settings, strategies as st
from tersely import NotReversibleError
from tersely.errors import StoreError, UnknownIdError
from tersely.store import Store
from tersely.store.secrets import mask_mapping, mask_secrets
from tersely.store.versions import MAX_TEXT_BYTES, pack, unpack

TEXT = "Tokens rotate every 24 hours. The ferry waits at noon.\r\n" * 30
ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=100)
NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "texts.sqlite"


def test_a_result_expands_after_a_restart(path: Path) -> None:
    result = tersely.compress(TEXT, "When does the ferry wait?", budget=40, counter="chars/4")
    with Store.open(path) as store:
        id = store.keep(result)
        assert store.keep(result) == id and store.get(id).version == 2  # nothing new
        assert (
            store.keep(tersely.compress(TEXT, budget=20, counter="chars/4")) == id
            and store.get(id).version == 3
        )
        assert store.get(id).version == 3
        assert store.keep(result, id="mine", metadata={"page": 1}) == "mine"
    with Store.open(path, read_only=True) as store:
        assert store.expand(id) == store.expand("mine") == TEXT
        assert store.get(id, 2).text == result.text
        record = store.records(id)[0]
        assert (record.original_text, record.compression_ratio) == (TEXT, result.ratio)
        assert store.get(id, 2).metadata["tokens"] == result.tokens
        assert store.get("mine", 1).metadata["page"] == 1


@pytest.mark.parametrize("what", ["text", None, 5])
def test_only_results_are_kept(path: Path, what: object) -> None:
    with Store.open(path) as store, pytest.raises(TypeError, match=r"must be a tersely\.Compressed, not "):
        store.keep(what)


@pytest.mark.parametrize("version", ["1", 1.0, True])
def test_a_version_is_a_whole_number(path: Path, version: object) -> None:
    with Store.open(path) as store:
        store.put("text", id="a")
        with pytest.raises(ValueError, match="version must be a whole number from 1, not 0"):
            store.expand("a", 0)
        with pytest.raises(UnknownIdError, match="nothing is stored under the id 'a' of version"):
            store.expand("a", 2**70)
        with pytest.raises(TypeError, match="version must be a whole number, not "):
            store.expand("a", version)


@settings(max_examples=20)
@given(texts=st.lists(ANY, min_size=1, max_size=4))
def test_each_document_of_a_result_comes_back(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    path = tmp_path_factory.getbasetemp() / "documents.sqlite"
    with Store.open(path) as store:
        id = store.keep(
            tersely.compress([{"text": text, "id": str(n)} for n, text in enumerate(texts)], budget=30)
        )
        assert [store.expand(id, document=n) for n in range(len(texts))] == texts
        assert store.expand(id) == "\n\n".join(texts)
        assert store.expand(store.put(texts[0]).id, document=0) == texts[0]
        for wrong in (len(texts), -1):
            with pytest.raises(IndexError, match=f"of {len(texts)}"):
                store.expand(id, document=wrong)


def test_a_backup_is_whole_and_taken_while_the_store_is_used(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    with Store.open(path) as store:
        store.put(TEXT, id="a")
        store.replace("a", "short")
        store.backup(copy)
        store.put("later", id="b")
        with pytest.raises(StoreError, match="exists already"):
            store.backup(copy)
        with pytest.raises(StoreError, match="cannot back up"):
            store.backup(tmp_path / "no" / "copy.sqlite")
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "copy.sqlite",
        "texts.sqlite",
        "texts.sqlite-lock",
    ]
    with Store.open(copy) as store:
        assert (store.ids(), store.expand("a"), store.check()) == (("a",), TEXT, [])
        assert store.search("ferry")[0].id == "a"
        store.put("new", id="c")


def test_a_read_only_store_can_be_backed_up(path: Path, tmp_path: Path) -> None:
    Store.open(path).close()
    with Store.open(path, read_only=True) as store:
        store.backup(tmp_path / "copy.sqlite")
    with Store.open(tmp_path / "copy.sqlite") as store:
        assert len(store) == 0


def test_nothing_expires_unless_somebody_prunes(path: Path) -> None:
    now = NOON
    with Store.open(path, clock=lambda: now) as store:
        store.put("old and left alone", id="old")
        store.put("old, shared words", id="used")
        now = NOON + timedelta(days=3650)
        store.replace("used", "short")  # in use: its original stays, too
        store.put("old and left alone", id="same text")
        store.put("new", id="new")
        assert len(store) == 4
        assert store.prune(NOON + timedelta(days=1)) == 1
        assert store.prune(NOON + timedelta(days=1)) == 0
        assert store.ids() == ("used", "same text", "new")
        assert (
            store.expand("used") == "old, shared words"
            and store.get("same text").text == "old and left alone"
        )
        assert [found.id for found in store.search("left alone")] == ["same text"]
        assert store.delete("same text") and store.check() == []
        with pytest.raises(ValueError, match="zone"):
            store.prune(datetime(2026, 1, 1))
    assert b"left alone" not in path.read_bytes()


def test_packed_bytes_cannot_blow_up() -> None:
    packed = zlib.compress(b"\0" * 50_000_000)
    with pytest.raises(StoreError, match="has 101 bytes, not 100"):
        unpack(packed, 100)
    for size in (-5, MAX_TEXT_BYTES + 1):
        with pytest.raises(StoreError, match=f"a text of {size} bytes"):
            unpack(packed, size)


@given(
    data=st.binary(max_size=2000) | st.text(max_size=300).map(lambda text: text.encode(errors="replace") * 9)
)
def test_what_is_packed_unpacks(data: bytes) -> None:
    packed = pack(data)
    assert unpack(packed, len(data)) == data and len(packed) <= len(data)


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


ANY = "q7Rm2Xk9Vb4Tn8Wz3Lp6" * 4  # letters and digits, as of a key
HEX = "9e4b07c2d81f5a36" * 4
# What is secret stands at the mark: forms that issuers and programs document, and their neighbours.
FORMS = {
    "glrt-¤": ANY[:20],
    "hf_¤": ANY[:34],
    "r8_¤": ANY[:37],
    "gsk_¤": ANY[:52],
    "dapi¤": HEX[:32],
    "dop_v1_¤": HEX,
    "hvs.¤": ANY,
    "glsa_¤": ANY[:32] + "_" + HEX[:8],
    "shpat_¤": HEX[:32],
    "dckr_pat_¤": ANY[:27],
    "SG.¤": ANY[:22] + "." + ANY[:43],
    "ya29.¤": ANY,
    "whsec_¤": ANY[:32],
    "xapp-1-¤": ANY[:11] + "-" + HEX,
    "lin_api_¤": ANY[:40],
    "pat¤": ANY[:14] + "." + HEX,
    "AGE-SECRET-KEY-1¤": ANY[:58].upper(),
    "MTA4¤": ANY[:21] + "." + ANY[:6] + "." + ANY[:38],
    "Authorization: Basic ¤": "YWRtaW46aHVudGVyMg==",
    "Proxy-Authorization: Basic ¤\n": "dXNlcjpwYXNzd29yZA==",
    "authorization: token ¤": ANY[:40],
    "X-Api-Key: ¤": ANY[:32],
    "X-Vault-Token: ¤": ANY[:24],
    "Cookie: theme=dark; JSESSIONID=¤; lang=en": HEX[:32],
    "Set-Cookie: sessionid=¤; HttpOnly": ANY[:10],
    "cookie: connect.sid=¤": "s%3A" + ANY[:32],
    "AccountKey=¤;EndpointSuffix=x": ANY[:43] + "==",
    "SharedAccessKey=¤": ANY[:43] + "=",
    "https://a.example/c?sv=1&sig=¤&x=1": ANY[:43] + "%3D",
    "?X-Amz-Signature=¤": HEX,
    "/me?access_token=¤&fields=id": ANY[:40],
    "redis://:¤@cache:6379/0": ANY[:12],
    "https://¤@o1.ingest.example/2": HEX[:32],
    "https://hooks.slack.com/services/¤": f"T0{ANY[:6]}/B0/{ANY[:24]}",
    "mysql -u root -p¤ shop": "S3cret!x",
    "mysqldump -uroot -p'¤' shop": "S3 cret!",
    "sshpass -p ¤ ssh x": "hunter2",
    "redis-cli -h c -a ¤ ping": ANY[:16],
    "docker login -u me -p ¤ r.example": ANY[:14],
    "curl -u admin:¤ https://a": "hunter2",
    "curl -sSu 'admin:¤' https://a": "hunter2",
    "tool --api-key ¤ -v": ANY[:32],
    "curl --user admin:¤ https://a": "hunter2",
    "machine a login b password ¤": ANY[:12],
    'psk="¤"': ANY[:14],
    "a\ndb:5432:app:ada:¤\nb": "hunter2",
    "ENV DB_PASSWORD ¤": "hunter2",
    "DB_PASS=¤": "hunter22",
    "token=¤": ANY[:12],
    'token: "¤"': "ghi789abc",
    "Token: ¤": ANY[:16],
    "<password>¤</password>": "hunter2",
    "PrivateKey = ¤": ANY[:43] + "=",
    '<add key="ClearTextPassword" value="¤" />': "hunter2",
    'auth=("admin", "¤")': "hunter2",
    "Passwort: ¤": "hunter2",
    '"auth": "¤"': "YWRtaW46aHVudGVyMg==",
    "secret_key_base: ¤": HEX,
    "client-key-data: ¤": ANY[:64],
    "root:¤:19500:0": "$6$" + ANY[:16] + "$" + ANY[:60],
    "the password is ¤ on both": "Hunter2!x9",
    "\"pwd\": '¤'": "a b; c",
    "pass\u200bword: ¤": "hunter2",
    "ap\u00adi_key=¤": ANY[:16],
    "ｐａｓｓｗｏｒｄ＝¤": "hunter2",
}


@pytest.mark.parametrize("around", ["{}", "日本 {}\n", "+ {} && echo done"])
def test_a_secret_is_masked_in_each_of_its_forms(around: str) -> None:
    for form, secret in FORMS.items():
        text = around.format(form.replace("¤", secret))
        masked, count = mask_secrets(text)
        assert count == 1 and secret not in masked and "[masked: " in masked, text
        after = around.format(form).partition("¤")[2]
        assert masked.endswith(after[-3:]) and mask_secrets(masked) == (masked, 0), text


def test_a_secret_is_masked_wherever_it_stands() -> None:
    for before, after in (("", ""), ("key is ", " and more"), ("日本 ", "\n"), ("(", ")")):
        for kind, secret in SECRETS.items():
            assert mask_secrets(before + secret + after) == (f"{before}[masked: {kind}]{after}", 1)
    for kind, (before, secret, after) in IN_CONTEXT.items():  # only its place shows it
        assert mask_secrets(before + secret + after) == (f"{before}[masked: {kind}]{after}", 1)


NO_SECRETS = [
    "The password is stored as a hash; see auth.py line 45.",
    "tokens = count(text)  # at most 200 tokens",
    "sk-learn, AKIA, ghp_, eyJ, https://example.com/a:b, user@example.com",
    "sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "http://localhost:8080/path@2x.png",
    "password = getpass.getpass()\npassword=os.environ['PGPASS']\nsecret = {}",
    "The parser reads token=NUMBER, then token = tokens[i]; token='identifier'",
    "grammar: token=KEYWORD_2 | token=T1|T2; token=0x7f3a2b1c",
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b, id: 123e4567-e89b-12d3-a456-426614174000",
    "cache_key=9f86d081884c7d659a2feaa0, next_page_token=CAUQAA1234567890ab, max_tokens=4096",
    "tiktoken==0.7.0",
    '{"integrity": "sha512-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "etag": "abc123def456"}',
    "PASS: tests/test_a1.py\npass=true\nPassword: required\npwd: string\nPWD=/srv/ada\nsecret: true",
    "client(api_key=api_key, password=self.password, token=args.token, secret=${SECRET}, key=$KEY)",
    "password=<your password> api_key=YOUR_API_KEY password: **** token: [masked: token]",
    "the password is sha256-hashed; a password must have 8 characters; the token is 40 characters long",
    "docker run -p 8080:80 nginx && mysql --port=3306 -u root -p && curl -u $USER:$PASS https://a.example",
    "std::span<const Token> line; enum class Token : std::uint8_t; session=requests.Session()",
    "akka.tcp://sparkExecutorActorSystem@mesos-slave-07:55904 and --initial-cluster-token etcd-cluster-1",
    "re_match_something_long_name_here phs_something_really_long_here fw_update_version_2_of_something",
    "",
]


def test_what_is_no_secret_stays() -> None:
    for text in NO_SECRETS:
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
        "token=",
        "Cookie: ",
        "a=1234567a;",
        "mysql a ",
        "curl a -u ",
        "eyJa1.",
        "x-api",
        "<a:a",
        "a_",
        "a1:5432:",
        "--a-",
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


WRITER = """
import sys
from tersely.store import Store
path, name = sys.argv[1:]
with Store.open(path) as store:
    store.put(name, id="shared")
    for number in range(60):
        store.put(f"{name} {number}", id=f"{name}-{number}")
        store.replace(f"{name}-{number}", "short")
        store.put(f"{name} {number}", id="shared")
"""


def test_sixty_four_callers_write_read_and_search_one_store(path: Path) -> None:
    def caller(number: int) -> None:
        for turn in range(5):
            id, text = f"{number}-{turn}", f"caller{number} says turn{turn}"
            store.put(text, id=id)
            store.replace(id, f"short {number}")
            [found] = store.search(f"caller{number}", 1)
            assert store.expand(id) == text and found.text.startswith(f"caller{number} ")

    with Store.open(path) as store:
        with ThreadPoolExecutor(64) as pool:
            list(pool.map(caller, range(64)))
        assert len(store.ids()) == 320 and store.check() == []


@pytest.mark.slow
def test_two_processes_write_one_file(path: Path) -> None:
    command = [sys.executable, "-B", "-W", "error", "-c", WRITER, str(path)]
    running = [subprocess.Popen([*command, name]) for name in ("a", "b")]  # both make the file
    assert [process.wait(60) for process in running] == [0, 0]
    with Store.open(path) as store:
        assert store.check() == [] and len(store) == 121
        for name in "ab":
            assert all(store.expand(f"{name}-{n}") == f"{name} {n}" for n in range(60))
        last = store.get("shared").version
        texts = [store.get("shared", version).text for version in range(1, last + 1)]
        for name in "ab":  # each process's versions in its order, none lost but those that changed nothing
            own = [text for text in texts if text.split()[0] == name]
            assert own == [name, *(f"{name} {n}" for n in range(60))]


def test_a_forked_child_uses_its_parents_store(path: Path) -> None:
    code = """
import os, sys
from tersely.store import Store
with Store.open(sys.argv[1]) as store:
    store.put("before", id="a")
    pid = os.fork()
    if pid == 0:
        assert store.expand("a") == "before"
        store.put("of the child", id="child")
        os._exit(0)
    store.put("of the parent", id="parent")
    assert os.waitpid(pid, 0)[1] == 0
    assert store.expand("child") == "of the child" and store.check() == []
"""
    done = subprocess.run([sys.executable, "-B", "-c", code, str(path)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    with Store.open(path) as store:
        assert store.ids()[0] == "a" and sorted(store.ids()) == ["a", "child", "parent"]


def test_a_fork_waits_for_writes_and_leaves_no_connection_open(path: Path) -> None:
    code = """
import os, sys, threading
from tersely.store import Store
with Store.open(sys.argv[1]) as store:
    started, go = threading.Event(), threading.Event()
    def slow(connection):
        started.set()
        go.wait(20)
    thread = threading.Thread(target=store._file.write, args=(slow,))
    thread.start()
    started.wait(20)
    threading.Timer(0.2, go.set).start()
    pid = os.fork()  # waits for the write: no connection may be open
    if pid == 0:
        store.put("of the child", id="child")
        os._exit(0)
    thread.join()
    assert os.waitpid(pid, 0)[1] == 0 and store.expand("child") == "of the child"
"""
    command = [sys.executable, "-B", "-c", code, str(path)]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_lock_that_stays_is_an_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tersely.sqlite._PATIENCE", 0.05)
    with Store.open(path) as store:
        store.put("text", id="a")
        with path.with_name(path.name + "-lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with pytest.raises(StoreError, match=r"locked by another writer for 0\.05 seconds"):
                store.put("b")
            assert store.expand("a") == "text"
        assert store.put("b").version == 1


def test_opening_makes_no_threads_and_closing_leaves_no_files(path: Path) -> None:
    before = threading.active_count()
    with Store.open(path) as store:
        store.put("text")
        assert threading.active_count() == before
        open_files = len(list(Path("/proc/self/fd").iterdir()))
    assert len(list(Path("/proc/self/fd").iterdir())) < open_files
