"""What repeats is told once, and what is unlike it stays: lists of people and models, and subtitles."""

from __future__ import annotations

import re

import pytest
import tersely

FINDINGS = (
    "`src/auth/login.py:88` compares tokens with ==, which leaks how long they agree.",
    "Connections of src/db/pool.py never come back when a query times out.",
    "Every retry charges again, since POST /pay is not idempotent.",
    "config/prod.yaml turns off TLS for the ledger.",
)
MOULDS = (
    "- Checked {path}: no issues found, style is consistent.",
    "* `{path}` - reviewed, nothing to report.",
    "{n}. Looked at {path} and found that it follows the guidelines of the project.",
    "Reviewed {path} ({n} lines). All good here, nothing stands out.\n",
)


def report(mould: str) -> str:
    lines = ["# Review of 204 files", "", "I read every file. Results:", ""]
    for n in range(200):
        if n % 50 == 31:
            lines.append(("" if mould.endswith("\n") else "- ") + FINDINGS[n // 50] + mould[-1:].strip("."))
        lines.append(mould.format(path=f"src/mod{n % 7}/part{n}.py", n=n + 1))
    return "\n".join(lines)


@pytest.mark.parametrize("ratio", [0.1, 0.2, 0.3, 0.7])
@pytest.mark.parametrize("mould", MOULDS)
def test_findings_among_lines_that_say_the_same_stay(mould: str, ratio: float) -> None:
    kept = tersely.compress(report(mould), ratio=ratio).text
    assert [finding for finding in FINDINGS if finding not in kept] == []


def subtitles(form: str, speaker: str) -> str:
    said = ["that is fine with me", "let us go on with the next point", "I can not hear you well"]
    cues = []
    for n in range(90):
        words = "we stop the old line in March" if n == 52 else said[n * n % 5 % 3]
        begins = f"00:{n * 5 // 60:02}:{n * 5 % 60:02}"
        cues.append(form.format(n=n + 1, begins=begins, name=speaker * (n % 3 + 1), words=words))
    return "\n\n".join(cues) + "\n"


SUBTITLES = {
    "SubRip": ("{n}\n{begins},000 --> {begins},900\n{name}: {words}", "Bo"),
    "SubRip without names": ("{n}\n{begins},000 --> {begins},900\n{words}", ""),
    "WebVTT": ("{begins}.000 --> {begins}.900 align:start\n<v {name}>{words}", "Mia"),
    "WebVTT of two lines": ("cue-{n}\n{begins}.000 --> {begins}.900\n- {words}\n- yes", ""),
}


@pytest.mark.parametrize("query", [None, "When does the old line stop?"])
@pytest.mark.parametrize("kind", SUBTITLES)
def test_a_cue_keeps_its_number_its_time_and_its_words(kind: str, query: str | None) -> None:
    text = subtitles(*SUBTITLES[kind])
    kept = tersely.compress(text, query, ratio=0.15).text
    cues = text.strip().split("\n\n")
    assert cues[52] in kept
    assert all(cue in cues for cue in re.split(r"\n\n+", kept.strip()))
