"""Language models: what is taken, what their faults do, what is recorded and replayed."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tersely
from hypothesis import HealthCheck, given, settings, strategies as st
from list_retriever import chunk
from sample_texts import prose
from tersely import StaticEmbedder, _native
from tersely.engine.reading import analyze, count_units
from tersely.errors import (
    CompressionError,
    ModelReplyError,
    ModelTimeoutError,
    OversizedReplyError,
    StoreError,
)
from tersely.memory import MemoryCompactor, REPLHistory, SegmentMemory
from tersely.models.counters import BytePairCounter, Texts
from tersely.models.embedders import resolve_cross_encoder, resolve_embedder
from tersely.models.language_models import acomplete_all, complete_all, resolve_language_model
from tersely.models.recorded import MissingReplyError, RecordedError, Recorder, Replayer, reply_key
from tersely.protocols import LanguageModel
from tersely.retrieval import ContentSummarizer, ContextualCompressor, compress_results
from tersely.retrieval.index import Index
from tersely.retrieval.results import ChunkSummarizer, extract_sentences
from tersely.retrieval.scoring import RelevanceScorer
from tersely.store import Store
from tersely.strategies import (
    Abstractive,
    CompressionOptions,
    ContextChunk,
    Hybrid,
    HybridCompressor,
    Manager,
)


class Complete:
    def complete(self, prompt: str) -> str:
        return prompt.upper()


class AsyncComplete:
    async def complete(self, prompt: str) -> str:
        await asyncio.sleep(0)
        return prompt.upper()


class Both:
    """Its async form is the one for async callers."""

    def complete(self, prompt: str) -> str:
        return prompt.upper()

    async def acomplete(self, prompt: str) -> str:
        return prompt.upper() + " ASYNC"


class GenerateResponse:
    def generate_response(self, *, prompt: str) -> str:
        return prompt.upper()


class AsyncGenerateResponse:
    async def generate_response(self, *, prompt: str) -> str:
        return prompt.upper()


class AsyncCall:
    async def __call__(self, prompt: str) -> str:
        return prompt.upper()


async def coroutine(prompt: str) -> str:
    return prompt.upper()


def later(prompt: str) -> Any:
    return coroutine(prompt)  # no coroutine function, but gives something to await


class AsyncAlone:
    async def acomplete(self, prompt: str) -> str:
        return prompt.upper()


KINDS = [
    Complete(),
    AsyncAlone(),
    AsyncComplete(),
    GenerateResponse(),
    AsyncGenerateResponse(),
    AsyncCall(),
    coroutine,
    later,
    str.upper,
]


@pytest.mark.parametrize("model", KINDS)
def test_every_kind_answers_sync_and_async_and_in_a_running_loop(model: Any) -> None:
    resolved = resolve_language_model(model)
    assert isinstance(resolved, LanguageModel)
    assert resolved.complete("yes") == "YES"
    assert asyncio.run(resolved.acomplete("yes")) == "YES"
    assert complete_all(resolved, ["a", "b", "c"], 2) == ["A", "B", "C"]
    assert asyncio.run(acomplete_all(resolved, ["a", "b", "c"], 2)) == ["A", "B", "C"]

    async def work() -> str:
        return resolve_language_model(model).complete("yes")

    assert asyncio.run(work()) == "YES"


def test_async_callers_and_failing_prompts() -> None:
    loops: list[Any] = []

    async def note(prompt: str) -> str:
        loops.append(asyncio.get_running_loop())
        return prompt

    async def work() -> None:
        await resolve_language_model(note).acomplete("yes")
        assert loops == [asyncio.get_running_loop()]

    asyncio.run(work())
    assert asyncio.run(resolve_language_model(Both()).acomplete("yes")) == "YES ASYNC"

    def model(prompt: str) -> str:
        if prompt == "b":
            raise TimeoutError("too slow")
        return prompt

    resolved = resolve_language_model(model)
    for replies in (
        complete_all(resolved, ["a", "b", "c"], 3),
        asyncio.run(acomplete_all(resolved, ["a", "b", "c"], 3)),
    ):
        assert [str(reply) for reply in replies] == ["a", "too slow", "c"]
        assert isinstance(replies[1], TimeoutError)


@pytest.mark.parametrize("model", [5, Complete, object(), "gpt"])
def test_other_things_are_refused(model: Any) -> None:
    with pytest.raises(
        TypeError, match=r"must be an object with complete\(prompt\), acomplete\(prompt\), generate_response"
    ):
        resolve_language_model(model)


@pytest.mark.parametrize(
    "reply", [SimpleNamespace(content="yes"), SimpleNamespace(text="yes", content=5), ("yes", 12, None)]
)
def test_replies_of_other_forms(reply: Any) -> None:
    assert resolve_language_model(lambda prompt: reply).complete("?") == "yes"
    assert asyncio.run(resolve_language_model(lambda prompt: reply).acomplete("?")) == "yes"


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (("yes", 12, ValueError("no")), "tuple"),
        (SimpleNamespace(content=["yes"]), "str"),
        ("", "empty"),
        (" \n", "empty"),
        (None, "str, not NoneType"),
        (b"yes", "bytes"),
        (("t", 1), "tuple"),
    ],
)
def test_replies_that_are_no_text(reply: Any, error: str) -> None:
    model = resolve_language_model(lambda prompt: reply)
    with pytest.raises(ModelReplyError, match=error):
        model.complete("yes")
    with pytest.raises(ModelReplyError, match=error):
        asyncio.run(model.acomplete("yes"))


@pytest.mark.parametrize("is_async", [False, True])
def test_no_more_prompts_at_a_time_than_allowed(is_async: bool) -> None:
    lock = threading.Lock()
    under_way, most = 0, 0

    def model(prompt: str) -> str:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        time.sleep(0.02)
        with lock:
            under_way -= 1
        return prompt

    prompts = [str(number) for number in range(12)]
    resolved = resolve_language_model(model)
    replies = (
        asyncio.run(acomplete_all(resolved, prompts, 4)) if is_async else complete_all(resolved, prompts, 4)
    )
    assert replies == prompts
    assert most == 4


def test_what_a_model_raises_or_says_too_long_is_raised() -> None:
    async def model(prompt: str) -> str:
        raise TimeoutError("too slow")

    with pytest.raises(TimeoutError, match="too slow"):
        resolve_language_model(model).complete("yes")

    def slow(prompt: str) -> str:
        raise TimeoutError("mine")

    with pytest.raises(TimeoutError, match="mine") as raised:
        resolve_language_model(slow, timeout=5).complete("?")
    assert not isinstance(raised.value, ModelTimeoutError)
    assert resolve_language_model(Generates()).complete("keys") == "about keys"
    with pytest.raises(TypeError, match="generate"):
        resolve_language_model(OfTensors())
    model = Replying("word " * 2_000_000)
    with pytest.raises(OversizedReplyError, match=r"replying replied with 10000000 characters, over 1048576"):
        resolve_language_model(model).complete("?")
    assert LANGUAGE_MODEL_DOORS["Hybrid"](model, Path()) == "reply_too_long"


class Generates:
    def generate(self, prompt: str) -> str:
        return f"about {prompt}"


class OfTensors(Generates):
    def forward(self) -> None:
        """Torch modules have one; what they generate from is no text."""


TEXT = prose(60)
QUERY = "When does the ferry leave?"
ABOUT = "Where did the willow shipment meet the barley crew?"
TEXTS = ["The ferry leaves at six.", "Gulls cry all day.", "Ropes are wet."]
ENDLESS = 60.0  # seconds: far more than any test waits


@pytest.fixture
def asleep() -> Iterator[threading.Event]:
    """Set at the end, so that no thread of a test outlives it for long."""
    made = threading.Event()
    yield made
    made.set()


class Hanging:
    """A model of any kind that does not answer. `calls`: how often it was asked."""

    name = "hanging"

    def __init__(self, until: threading.Event) -> None:
        self.until, self.calls = until, 0

    def _hang(self, *_: Any) -> Any:
        self.calls += 1
        self.until.wait(ENDLESS)
        return None

    complete = embed = score = _hang


class Replying:
    """A language model that always says the same."""

    name = "replying"

    def __init__(self, reply: Any) -> None:
        self.reply, self.calls = reply, 0

    def complete(self, prompt: str) -> Any:
        self.calls += 1
        return self.reply


class Giving:
    """An embedder, and a cross-encoder, that gives what `made` makes for n texts."""

    name = "giving"

    def __init__(self, made: Callable[[int], Any]) -> None:
        self.made = made

    def embed(self, texts: list[str]) -> Any:
        return self.made(len(texts))

    def score(self, query: str, texts: list[str]) -> Any:
        return self.made(len(texts))


def steps() -> REPLHistory:
    history = REPLHistory()
    for number in range(12):
        history = history.append(f"Step {number}: {TEXTS[number % 3]}", "x", "ok")
    return history


def through_memory(model: Any, folder: Path) -> Any:
    with Store.open(folder / "context.sqlite") as store:
        memory = SegmentMemory(store, model=model)
        memory.store_context_segment(TEXT, segment_id="note")
        return memory.compress_context_segment(["note"]).errors[0].code


def ask_async(model: Any, _: Path) -> Any:
    options = CompressionOptions(min_confidence=0.5)
    return asyncio.run(HybridCompressor(model).acompress(TEXT, options)).fallback_reason


#: A call through each door that takes a language model -> the reason that it gives; or it raises.
LANGUAGE_MODEL_DOORS: dict[str, Callable[[Any, Path], Any]] = {
    "Hybrid": lambda model, _: tersely.compress(TEXT, strategy=Hybrid(model)).receipt.fallback_reason,
    "Abstractive": lambda model, _: (
        tersely.compress(TEXT, strategy=Abstractive(model)).receipt.fallback_reason
    ),
    "HybridCompressor, async": ask_async,
    "Manager": lambda model, _: (
        Manager(llm=model).prepare_context([ContextChunk("a", TEXT)], QUERY, 300).report.warnings
    ),
    "ContentSummarizer": lambda model, _: ContentSummarizer(model).summarize_sync(TEXT, QUERY),
    "ChunkSummarizer": lambda model, _: (
        ChunkSummarizer(model).summarize(chunk("a", 1, TEXT), QUERY, 20).fallback_reason
    ),
    "ContextualCompressor": lambda model, _: (
        ContextualCompressor(model, token_budget=300)
        .compress_sync([TEXT], ABOUT, "abstractive")
        .fallback_reason
    ),
    "RelevanceScorer": lambda model, _: (
        RelevanceScorer("llm", model=model).score_sync(TEXTS, QUERY).fallback_reason
    ),
    "MemoryCompactor": lambda model, _: MemoryCompactor(model=model).compact(steps()).fallback_reason,
    "SegmentMemory": through_memory,
}


def assert_late(door: Callable[[Any, Path], Any], model: Any, folder: Path) -> None:
    """What waits for a model too long says so, and soon."""
    started = time.monotonic()
    try:
        reason = door(model, folder)
    except CompressionError as error:
        assert isinstance(error.__cause__ or error, ModelTimeoutError)
    else:
        assert reason, "a result must say that the model failed"
    assert time.monotonic() - started < ENDLESS / 3


@pytest.mark.parametrize("door", LANGUAGE_MODEL_DOORS)
def test_a_language_model_that_hangs_costs_its_timeout(
    door: str, tmp_path: Path, asleep: threading.Event
) -> None:
    hanging = Hanging(asleep)
    assert_late(LANGUAGE_MODEL_DOORS[door], resolve_language_model(hanging, timeout=0.05), tmp_path)
    assert hanging.calls == 1, "a model that is late is not asked again for the same"


@pytest.mark.parametrize("door", LANGUAGE_MODEL_DOORS)
def test_replies_that_cannot_be_used_give_a_reason_or_an_error(door: str, tmp_path: Path) -> None:
    replies = ["word " * 2_000_000, None, b"bytes", "", " \n", 7, ["text"], "\ud800"]
    for number, reply in enumerate(replies):
        model, folder = Replying(reply), tmp_path / str(number)
        folder.mkdir()
        started = time.monotonic()
        try:
            reason = LANGUAGE_MODEL_DOORS[door](model, folder)
        except CompressionError as error:
            assert str(error)
        else:
            assert reason, reply
        assert model.calls <= 6
        assert time.monotonic() - started < ENDLESS / 3


def test_models_that_hang_are_timed(asleep: threading.Event) -> None:
    async def hang(prompt: str) -> str:
        await asyncio.sleep(ENDLESS)
        return prompt

    model = resolve_language_model(hang, timeout=0.05)
    with pytest.raises(ModelTimeoutError, match=r"hang gave no answer within 0\.05 seconds"):
        model.complete("?")
    with pytest.raises(ModelTimeoutError, match=r"hang gave no answer within 0\.05 seconds"):
        asyncio.run(model.acomplete("?"))
    model = resolve_language_model(Hanging(asleep), timeout=0.05)
    started = time.monotonic()
    with pytest.raises(ModelTimeoutError):
        asyncio.run(model.acomplete("?"))
    assert time.monotonic() - started < ENDLESS / 3
    model = resolve_cross_encoder(Hanging(asleep), timeout=0.05)
    found = RelevanceScorer("cross_encoder", cross_encoder=model).score_sync(TEXTS, QUERY)
    assert "no answer within 0.05 seconds" in str(found.fallback_reason)


@pytest.mark.parametrize("resolve", [resolve_language_model, resolve_embedder, resolve_cross_encoder])
def test_a_timeout_is_checked(resolve: Any) -> None:
    for timeout in (0, -1, float("nan"), float("inf"), True, "5"):
        with pytest.raises((TypeError, ValueError), match="timeout must"):
            resolve(Hanging(threading.Event()), timeout=timeout)


def through_index(embedder: Any, folder: Path) -> Any:
    (folder / "docs").mkdir()
    (folder / "docs" / "a.md").write_text("\n\n".join(TEXTS), encoding="utf-8")
    return Index.build(folder / "docs", folder / "index", embedder=embedder)


def through_store(embedder: Any, folder: Path) -> Any:
    with Store.open(folder / "store.sqlite", embedder=embedder) as store:
        store.put_many(TEXTS)
        return store.search(QUERY)


#: A call through each door that takes an embedder; it gives a reason, or raises.
EMBEDDER_DOORS: dict[str, Callable[[Any, Path], Any]] = {
    "compress": lambda embedder, _: (
        tersely.compress(TEXT, QUERY, strategy=tersely.Extractive(embedder=embedder)).receipt.warnings
    ),
    "dedup": lambda embedder, _: tersely.dedup([*TEXTS, *TEXTS[:1]], embedder=embedder),
    "RelevanceScorer": lambda embedder, _: (
        RelevanceScorer("embedding", embedder=embedder).score_sync(TEXTS, QUERY).fallback_reason
    ),
    "compress_results": lambda embedder, _: compress_results(
        [chunk(str(row), 0.9, text) for row, text in enumerate(TEXTS)], embedder=embedder
    ),
    "extract_sentences": lambda embedder, _: extract_sentences([TEXT], QUERY, 2, embedder=embedder),
    "Manager": lambda embedder, _: Manager(embedder=embedder).prepare_context(
        [ContextChunk("a", TEXT)], ABOUT, 300
    ),
    "Index": through_index,
    "Store": through_store,
}

WRONG_VECTORS: dict[str, Callable[[int], Any]] = {
    "NaN": lambda count: np.full((count, 4), np.nan),
    "infinite": lambda count: np.full((count, 4), np.inf),
    "one row too few": lambda count: np.ones((count - 1, 4)),
    "one dimension": np.ones,
    "three dimensions": lambda count: np.ones((count, 2, 2)),
    "no numbers": lambda count: [["a"] * 4] * count,
    "ragged": lambda count: [[1.0] * (1 + row % 2) for row in range(count + 1)],
    "nothing": lambda count: None,
    "far too wide": lambda count: np.ones((count, 2**16 + 1), dtype=np.float16),
}


@pytest.mark.parametrize("door", EMBEDDER_DOORS)
def test_vectors_that_cannot_be_used_give_an_error_or_a_reason(door: str, tmp_path: Path) -> None:
    for wrong, vectors in WRONG_VECTORS.items():
        folder = tmp_path / wrong
        folder.mkdir()
        try:
            reason = EMBEDDER_DOORS[door](Giving(vectors), folder)
        except ModelReplyError as error:
            assert "giving" in str(error)
        except CompressionError as error:
            assert isinstance(error.__cause__, ModelReplyError)
        else:
            assert reason, wrong


@pytest.mark.parametrize("door", EMBEDDER_DOORS)
def test_an_embedder_that_hangs_costs_its_timeout(door: str, tmp_path: Path, asleep: threading.Event) -> None:
    assert_late(EMBEDDER_DOORS[door], resolve_embedder(Hanging(asleep), timeout=0.05), tmp_path)


@pytest.mark.parametrize("wrong", ["NaN", "one row too few", "three dimensions", "no numbers", "nothing"])
def test_scores_that_cannot_be_used_give_a_reason(wrong: str) -> None:
    scorer = RelevanceScorer("cross_encoder", cross_encoder=Giving(WRONG_VECTORS[wrong]))
    assert "giving" in str(scorer.score_sync(TEXTS, QUERY).fallback_reason)


FORMS = ["One “quoted” line — naïve. It is 12 €.", "", "Plain words. Plain words.", "中文。文中。"]


def test_utf8_is_made_once_and_read_as_texts_are() -> None:
    texts = Texts(FORMS)
    assert texts == FORMS
    assert texts.utf8 is texts.utf8
    one, other = analyze(Texts(FORMS), ["query"]), analyze(FORMS, ["query"])
    assert all(map(np.array_equal, one.table.columns(), other.table.columns()))
    assert np.array_equal(one.term_ids, other.term_ids)
    table, texts = one.table, Texts(FORMS)
    places = (table.document, table.start, table.end)
    for call in (
        partial(count_units, BytePairCounter()),
        lambda *given: StaticEmbedder().similarity_spans("line", *given),
    ):
        assert call(texts, *places).tolist() == call(FORMS, *places).tolist()
    for taken in (texts, texts.utf8, tuple(FORMS)):
        assert _native.lined(taken).tolist() == _native.lined(FORMS).tolist()
    with pytest.raises(TypeError, match="texts must be a list of str, or Utf8"):
        _native.lined("a")
    with pytest.raises(TypeError, match="texts must be str"):
        _native.lined([1])  # type: ignore[list-item]
    assert np.array_equal(_native.lined(Texts(["\ud800"]).utf8), _native.lined(["\ufffd"]))


class Counted:
    """Says how often it was asked; "fail" makes it raise, "blank" reply with nothing."""

    name = "counted"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def complete(self, prompt: str) -> str:
        self.asked.append(prompt)
        if prompt.startswith("fail"):
            raise TimeoutError(f"no reply to {prompt}")
        return "" if prompt == "blank" else f"reply {len(self.asked)} to {prompt}"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "replies.sqlite"


def test_a_replay_gives_what_the_recording_gave(path: Path) -> None:
    model = Counted()
    recorder = Recorder(model, path)
    said = {prompt: recorder.complete(prompt) for prompt in ("one", "two\n\x00 é 漢", "one")}
    assert model.asked == ["one", "two\n\x00 é 漢"]
    replayer = Replayer(path)
    assert {prompt: replayer.complete(prompt) for prompt in said} == said
    assert {prompt: asyncio.run(replayer.acomplete(prompt)) for prompt in said} == said
    assert replayer.name == recorder.name == "counted"
    assert resolve_language_model(replayer).name == "counted"


def test_prompts_are_not_in_the_file_and_other_files_are_refused(path: Path) -> None:
    recorder = Recorder(lambda prompt: "fine", path, name="any")
    recorder.complete("a secret question")
    recorder.close()
    assert [file.name for file in path.parent.glob("*-wal")] == []
    assert b"fine" in path.read_bytes() and b"secret" not in path.read_bytes()
    path.write_bytes(b"my notes")
    for make in (lambda: Replayer(path), lambda: Recorder(Counted(), path)):
        with pytest.raises(StoreError, match="replies"):
            make()
    assert path.read_bytes() == b"my notes"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(replies=st.dictionaries(st.text(), st.text().filter(str.strip), min_size=1, max_size=5))
def test_any_text_comes_back_exactly(path: Path, replies: dict[str, str]) -> None:
    recorder = Recorder(replies.__getitem__, path, name=str(replies))
    assert {prompt: recorder.complete(prompt) for prompt in replies} == replies
    replayer = Replayer(path, name=str(replies))
    assert {prompt: replayer.complete(prompt) for prompt in replies} == replies


DAMAGES = {
    "no database": "",
    "other program": "PRAGMA application_id = 7",
    "other version": "PRAGMA user_version = 99",
    "other reply": "UPDATE answers SET answer = zeroblob(12)",
    "other kind": "UPDATE answers SET kind = 'OSError'",
    "swapped": "UPDATE answers SET answer ="
    " (SELECT answer FROM answers b WHERE b.rowid = 12 - answers.rowid)",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_or_foreign_file_is_an_error_and_is_left_alone(path: Path, damage: str) -> None:
    prompts = [str(number) for number in range(11)]
    recorder = Recorder(Counted(), path)
    for prompt in prompts:
        recorder.complete(prompt)
    recorder.close()
    if not DAMAGES[damage]:
        path.write_text("This is a letter to the harbour master, not a database. " * 50)
    else:
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(DAMAGES[damage])
    before = path.read_bytes()
    for make in (lambda: Replayer(path), lambda: Recorder(Counted(), path)):
        with pytest.raises(StoreError, match="replies"):
            make().complete(prompts[0])
    assert path.read_bytes() == before


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, str]]:
    """A file with the replies of two models, and what one of them replied to each prompt."""
    path = tmp_path_factory.mktemp("full") / "replies"
    said: dict[str, str] = {}
    for name in ("one", "two"):
        recorder = Recorder(lambda prompt, name=name: f"{name} says {prompt}", path, name=name)
        said = {prompt: recorder.complete(prompt) for prompt in map(str, range(80))}
        recorder.close()
    return path.read_bytes(), said


@pytest.mark.parametrize("part", range(5))
def test_a_damaged_file_gives_an_error_or_what_was_recorded(
    full: tuple[bytes, dict[str, str]], tmp_path: Path, part: int
) -> None:
    for seed in range(part, 100, 5):
        random_ = random.Random(seed)
        data, said = bytearray(full[0]), full[1]
        for _ in range(random_.choice((1, 20, 400))):
            data[random_.randrange(len(data))] ^= random_.randrange(1, 256)
        if part == 0:  # a page of another place, after the header or with it
            page = 4096 * random_.randrange(len(data) // 4096)
            data[page : page + 4096] = random_.choice((data[-4096:], random_.randbytes(4096)))
        path = tmp_path / f"replies-{seed}"
        path.write_bytes(data)
        path.chmod(0o600)
        for prompt, reply in list(said.items())[::8]:
            with contextlib.suppress(StoreError):
                assert Replayer(path, name="two").complete(prompt) == reply, seed


def test_errors_come_back_as_errors(path: Path) -> None:
    recorder = Recorder(Counted(), path)
    with pytest.raises(TimeoutError):
        recorder.complete("fail")
    with pytest.raises(ModelReplyError):
        asyncio.run(recorder.acomplete("blank"))
    replayer = Replayer(path)
    with pytest.raises(RecordedError, match="TimeoutError: no reply to fail"):
        replayer.complete("fail")
    with pytest.raises(ModelReplyError, match="counted gave an empty reply"):
        replayer.complete("blank")


def test_after_an_error_the_model_is_asked_again_and_a_reply_counts(path: Path) -> None:
    replies: list[Any] = [OSError("gone"), "there", "other"]

    def ask(prompt: str) -> str:
        reply = replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return str(reply)

    recorder = Recorder(ask, path, name="m")
    with pytest.raises(OSError, match="gone"):
        recorder.complete("?")
    assert recorder.complete("?") == recorder.complete("?") == "there"
    assert Replayer(path).complete("?") == "there"
    assert replies == ["other"]


def test_recordings_of_other_prompts_and_models_are_named(path: Path) -> None:
    Recorder(Counted(), path).complete("one")
    with pytest.raises(MissingReplyError, match=reply_key("counted", "two").hex()):
        Replayer(path).complete("two")
    with pytest.raises(MissingReplyError, match="of other for"):
        Replayer(path, name="other").complete("one")
    for name in ("b", "a"):
        Recorder(lambda prompt, name=name: name, path, name=name).complete("?")
    with pytest.raises(ValueError, match="must be one of a, b"):
        Replayer(path)
    assert Replayer(path, name="b").complete("?") == "b"


def test_threads_that_ask_the_same_get_the_same(path: Path) -> None:
    gate = threading.Barrier(8)

    def ask(prompt: str) -> str:
        gate.wait(10)
        return str(threading.get_ident())

    recorder = Recorder(ask, path, name="m")
    said: list[str] = []
    threads = [threading.Thread(target=lambda: said.append(recorder.complete("?"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(said) == 8 and set(said) == {Replayer(path).complete("?")}


def record(path: Path, process: int) -> None:
    recorder = Recorder(lambda prompt: f"{process} {prompt} " + "x" * 20_000, path, name="m")
    for number in range(20):
        recorder.complete(f"prompt {number}")


@pytest.mark.slow
def test_processes_write_into_one_file(path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=record, args=(path, number)) for number in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    replayer = Replayer(path)
    assert all(f" prompt {number} " in replayer.complete(f"prompt {number}") for number in range(20))
