"""`tersely compress --strategy hybrid --model ...`: what is sent, what is said, and the key stays secret."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import tersely
from model_server import Server, running
from sample_texts import prose
from tersely.cli import main
from written_checks import first_sentences

pytest.importorskip("openai", reason="openai is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # the command ends with its process

TEXT = prose(60)
KEY = "sk-a-secret-key"


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as made:
        made.reply = first_sentences
        yield made


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    path = tmp_path / "page.md"
    path.write_text(TEXT)
    return path


@pytest.mark.parametrize("strategy", ["hybrid", "abstractive"])
def test_a_model_writes(server: Server, page: Path, capfd: pytest.CaptureFixture[str], strategy: str) -> None:
    arguments = ["compress", str(page), "--strategy", strategy, "--model", "small", "--base-url", server.url]
    assert main([*arguments, "--ratio", "0.6", "--json"]) == 0
    result = json.loads(capfd.readouterr().out)
    assert result["receipt"]["used_llm"] and result["generated"]
    assert {request["model"] for _, request in server.requests} == {"small"}


@pytest.mark.parametrize("strategy", ["hybrid", "abstractive"])
def test_without_a_model_it_says_so(page: Path, capfd: pytest.CaptureFixture[str], strategy: str) -> None:
    assert main(["compress", str(page), "--strategy", strategy, "--budget", "300", "--context", "1"]) == 0
    said = capfd.readouterr()
    verbatim = tersely.Extractive(context=1, preserve=("code", "quotes", "numbers"))
    assert said.out.removesuffix("\n") == tersely.compress(
        TEXT, budget=300, strategy=verbatim
    ).text.removesuffix("\n")
    assert "tersely: note: no --model, so the text is extractive\n" in said.err


def test_a_model_that_fails_is_named_by_its_reason_and_the_key_is_not(
    server: Server, page: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    server.mishaps = [401] * 9
    assert main(["compress", str(page), "--strategy", "hybrid", "--model", "small"]) == 0
    said = capfd.readouterr()
    assert "tersely: note: model failed, so the text is extractive\n" in said.err
    assert KEY not in said.out + said.err
    assert len(server.requests) == 1


def test_what_is_to_be_preserved_goes_along(
    server: Server, page: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    server.reply = lambda prompt: "Shipments of copper, zinc and granite met their crews near the docks."
    where = ["--strategy", "abstractive", "--model", "small", "--base-url", server.url, "--budget", "200"]
    assert main(["compress", str(page), *where, "--preserve", "quotes", "--json"]) == 0
    (prompt,) = server.prompts
    assert "- Preserve important quotes" in prompt and "- Keep numeric data" not in prompt
    assert json.loads(capfd.readouterr().out)["receipt"]["facts"] is not None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "small"], "--model and --base-url need --strategy abstractive or hybrid"),
        (["--base-url", "http://x"], "--model and --base-url need --strategy abstractive or hybrid"),
        (["--strategy", "hybrid", "--base-url", "http://x"], "--base-url needs --model"),
        (["--strategy", "hybrid", "--model", "small"], "--model needs a key in OPENAI_API_KEY"),
    ],
)
def test_arguments_that_do_not_go_together(
    page: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["compress", str(page), *arguments]) == 2
    assert message in capfd.readouterr().err


def test_a_missing_package_says_what_to_install(
    page: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    arguments = ["--strategy", "hybrid", "--model", "small", "--base-url", "http://127.0.0.1:9"]
    assert main(["compress", str(page), *arguments]) == 2
    assert "pip install 'tersely[openai]'" in capfd.readouterr().err
