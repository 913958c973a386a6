"""Recorded replies come back as they were, whoever writes beside."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tersely.errors import ModelReplyError, StoreError
from tersely.models.language_models import resolve_language_model
from tersely.models.recorded import MissingReplyError, RecordedError, Recorder, Replayer, reply_key


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
    return tmp_path / "replies.jsonl"


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


def test_prompts_are_not_in_the_file(path: Path) -> None:
    Recorder(lambda prompt: "fine", path, name="any").complete("a secret question")
    (line,) = path.read_text().splitlines()
    assert json.loads(line) == {"key": reply_key("any", "a secret question"), "model": "any", "reply": "fine"}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(replies=st.dictionaries(st.text(), st.text().filter(str.strip), min_size=1, max_size=5))
def test_any_text_comes_back_exactly(path: Path, replies: dict[str, str]) -> None:
    path.unlink(missing_ok=True)
    recorder = Recorder(replies.__getitem__, path, name="dict")
    assert {prompt: recorder.complete(prompt) for prompt in replies} == replies
    replayer = Replayer(path)
    assert {prompt: replayer.complete(prompt) for prompt in replies} == replies


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


def test_a_prompt_that_was_never_recorded_is_named(path: Path) -> None:
    Recorder(Counted(), path).complete("one")
    with pytest.raises(MissingReplyError, match=reply_key("counted", "two")):
        Replayer(path).complete("two")
    with pytest.raises(MissingReplyError, match="of other for"):
        Replayer(path, name="other").complete("one")


def test_a_file_of_several_models_must_be_told_which(path: Path) -> None:
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
    assert len(path.read_bytes().splitlines()) == 1


def record(path: Path, process: int) -> None:
    recorder = Recorder(lambda prompt: f"{process} {prompt} " + "x" * 20_000, path, name="m")
    for number in range(20):
        recorder.complete(f"prompt {number}")


def test_processes_write_into_one_file(path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=record, args=(path, number)) for number in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    assert len(path.read_bytes().splitlines()) == 20  # the first reply counts; nobody wrote a second
    replayer = Replayer(path)
    assert all(f" prompt {number} " in replayer.complete(f"prompt {number}") for number in range(20))


def test_a_line_that_was_never_finished_is_passed_over_and_then_replaced(path: Path) -> None:
    Recorder(Counted(), path).complete("one")
    whole = path.read_bytes()
    for size in (3, 40, len(whole) - 1):
        path.write_bytes(whole + whole[:size])
        assert Replayer(path).complete("one") == "reply 1 to one"
        Recorder(Counted(), path).complete("two")
        assert path.read_bytes().startswith(whole)
        assert Replayer(path).complete("two") == "reply 1 to two"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "no json",
        "[]",
        "{}",
        '{"key": 1, "model": "m", "reply": "r"}',
        '{"key": "k", "model": null, "reply": "r"}',
        '{"key": "k", "model": "m"}',
        '{"key": "k", "model": "m", "reply": 3}',
        '{"key": "k", "model": "m", "reply": "r", "error": {"type": "t", "message": "m"}}',
        '{"key": "k", "model": "m", "error": {"type": "t"}}',
        '{"key": "k", "model": "m", "error": "t"}',
        '{"key": "\xff", "model"',
        "[" * 100_000,
    ],
)
def test_a_file_that_is_no_recording_is_refused_and_left_alone(path: Path, line: str) -> None:
    Recorder(Counted(), path).complete("one")
    with path.open("ab") as file:
        file.write(line.encode("latin-1") + b"\n")
    before = path.read_bytes()
    for make in (lambda: Replayer(path), lambda: Recorder(Counted(), path)):
        with pytest.raises(StoreError, match="is no recording: line 2"):
            make()
    assert path.read_bytes() == before


def test_notes_without_a_line_end_are_not_taken_for_a_torn_line(path: Path) -> None:
    path.write_bytes(b"my notes")
    with pytest.raises(StoreError, match="is no recording"):
        Recorder(Counted(), path)
    assert path.read_bytes() == b"my notes"
