"""strategy, separator, options of Extractive: what is refused, and how it is said."""

from __future__ import annotations

import math
import pickle
from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import odd_counters
import pytest
import tersely
from sample_texts import GUIDE, prose
from tersely import Compressed, Extractive, Strategy
from tersely.engine.strategies import STRATEGIES
from tersely.types import Level, Request

TEXT = prose(30)


@pytest.mark.parametrize("name", STRATEGIES)
def test_strategies_by_name(name: str) -> None:
    by_name = tersely.compress(TEXT, "copper", budget=60, strategy=name)
    assert by_name.text == tersely.compress(TEXT, "copper", budget=60, strategy=STRATEGIES[name]()).text
    assert 0 < by_name.tokens <= 60


def test_lead_keeps_the_beginning() -> None:
    result = tersely.compress(TEXT, budget=60, strategy="lead")
    assert TEXT.startswith(result.text)


@pytest.mark.parametrize("name", ["", "Extractive", "unknown"])
def test_an_unknown_name_says_which_there_are(name: str) -> None:
    with pytest.raises(ValueError, match=f"unknown strategy '{name}'; known names: extractive, lead"):
        tersely.compress(TEXT, strategy=name)


@pytest.mark.parametrize("strategy", [5, b"lead", Extractive, object(), ["lead"], lambda request: None])
def test_a_strategy_of_a_wrong_type(strategy: object) -> None:
    with pytest.raises(TypeError, match=r"strategy must be a name or an object with compress\(request\)"):
        tersely.compress(TEXT, strategy=strategy)


@dataclass(frozen=True)
class Recorder:
    """Keeps the requests it was given."""

    seen: list[Request]

    def compress(self, request: Request) -> Compressed:
        self.seen.append(request)
        return Extractive().compress(request)


def test_a_strategy_of_the_caller_gets_a_checked_request() -> None:
    recorder = Recorder([])
    assert isinstance(recorder, Strategy)
    tersely.compress(
        ["Rope.", "Fog."], "q", budget=9, strategy=recorder, pinned="Fog", groups=[["Rope"]], separator="+"
    )
    (request,) = recorder.seen
    assert [document.text for document in request.documents] == ["Rope.", "Fog."]
    assert (request.query, request.budget, request.ratio, request.separator) == ("q", 9, 0.3, "+")
    assert request.pinned == ((1, 0, 3),)
    assert request.groups == (((0, 0, 4),),)
    assert request.counter.count("two words") == 2


def test_a_bad_argument_is_found_before_the_strategy_runs() -> None:
    recorder = Recorder([])
    with pytest.raises(ValueError, match="budget"):
        tersely.compress(TEXT, budget=-1, strategy=recorder)
    assert recorder.seen == []


@pytest.mark.parametrize("separator", [None, 5, b"\n"])
def test_a_separator_of_a_wrong_type(separator: object) -> None:
    with pytest.raises(TypeError, match="separator must be str"):
        tersely.compress(TEXT, separator=separator)


def test_a_separator_with_a_lone_surrogate() -> None:
    texts = [tersely.compress([TEXT, TEXT], separator=one).text for one in ("\udc80", "\ufffd")]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"level": "words"},
            "level must be one of character, word, clause, sentence, paragraph, section, not 'words'",
        ),
        ({"level": 6}, "level must be one of"),
        ({"scoring": "bm25"}, "one of auto, relevance, lexical, centrality, lead, not 'bm25'"),
        ({"redundancy": -0.1}, r"redundancy must lie in \[0, 1\], not -0.1"),
        ({"redundancy": 1.1}, r"redundancy must lie in \[0, 1\]"),
        ({"redundancy": math.nan}, r"redundancy must lie in \[0, 1\], not nan"),
        ({"context": -1}, "context must be a whole number from 0, not -1"),
        ({"window": 0}, "window must be a whole number from 1, not 0"),
        ({"position_decay": math.nan}, "position_decay"),
        ({"position_decay": math.inf}, "position_decay"),
        ({"position_floor": math.nan}, "position_floor"),
    ],
)
def test_bad_options_are_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Extractive(**options)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("context", 1.5),
        ("context", "1"),
        ("window", 2.5),
        ("window", "9"),
        ("redundancy", "0.5"),
        ("position_decay", "0.1"),
        ("scoring", 5),
        ("scoring", []),
    ],
)
def test_options_of_a_wrong_type_are_named(name: str, value: object) -> None:
    with pytest.raises((TypeError, ValueError), match=name):
        Extractive(**{name: value})


def test_more_context_than_there_is_text() -> None:
    strategy = Extractive(context=2**40, level=Level.SENTENCE)
    result = tersely.compress(
        "Rope. Fog. Salt. Net. Cod.", budget=4, counter=odd_counters.words, strategy=strategy
    )
    assert result.tokens == 4


def test_a_window_wider_than_the_text() -> None:
    result = tersely.compress(TEXT, budget=30, strategy=Extractive(level=Level.CHARACTER, window=2**70))
    assert 0 < result.tokens <= 30


def test_options_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Extractive().context = 3


@pytest.mark.parametrize("strategy", [Extractive(), Extractive(level="word", context=2, position_floor=0.1)])
def test_a_strategy_survives_pickling(strategy: Extractive) -> None:
    copy = pickle.loads(pickle.dumps(strategy))
    assert copy == strategy
    assert hash(copy) == hash(strategy)
    assert (
        tersely.compress(TEXT, budget=60, strategy=copy).text
        == tersely.compress(TEXT, budget=60, strategy=strategy).text
    )


@pytest.mark.parametrize("level", list(Level))
def test_D016_every_level_keeps_whole_segments(level: Level) -> None:
    result = tersely.compress([GUIDE, TEXT], "storm fee", budget=200, strategy=Extractive(level=level))
    segments = {(document, start, end) for document, start, end, _ in tersely.segment([GUIDE, TEXT], level)}
    assert {(span.document, span.start, span.end) for span in result.kept} <= segments
    assert result.kept


def test_D017_and_D026_context_of_a_hit() -> None:
    text = prose(40).replace("Report 120 says", "The heron says")
    for context in (1, 2):
        strategy = Extractive(context=context, scoring="relevance", redundancy=0.0)
        result = tersely.compress(text, "heron", budget=18 * (2 * context + 1), strategy=strategy)
        rows = [
            row
            for row, (_, start, _, _) in enumerate(tersely.segment(text))
            if start in {s.start for s in result.kept}
        ]
        assert set(range(20 - context, 20 + context + 1)) <= set(rows)


def test_D023_headings_of_what_is_kept() -> None:
    strategy = Extractive(preserve_structure=True)
    result = tersely.compress(GUIDE, "How many balls mean a gale?", budget=60, strategy=strategy)
    assert "Two balls mean a gale." in result.text
    for heading in ("# The Harbour Handbook", "## 2. Signals", "STORM WARNINGS"):
        assert heading in result.text
    assert {span.reason for span in result.kept} >= {"heading", "selected"}


@pytest.mark.parametrize("preserve", [5, None])
def test_preserve_of_a_wrong_type(preserve: object) -> None:
    with pytest.raises(TypeError, match="preserve must be a name or a list of names, not "):
        Extractive(preserve=preserve)


def test_a_ratio_of_numpy() -> None:
    result = tersely.compress(TEXT, ratio=np.float32(0.25))
    assert result.text == tersely.compress(TEXT, ratio=0.25).text


def test_complex_numbers_are_refused_not_halved() -> None:
    for call in (
        lambda: tersely.dedup(["Rope.", "Fog."], scores=np.array([1 + 2j, 1])),
        lambda: tersely.dedup(["Rope.", "Fog."], scores=[1j, 1]),
        lambda: tersely.kernels.mmr_select(np.eye(2), 1, relevance=np.array([1j, 1])),
        lambda: tersely.kernels.threshold_clusters(np.eye(2), 0.5, np.array([1j, 1])),
    ):
        with pytest.raises(TypeError, match="must be real numbers, not complex128"):
            call()
    with pytest.raises(TypeError, match="vectors must be float16, float32 or float64, not complex64"):
        tersely.dedup(np.ones((2, 2), dtype=np.complex64))


def test_scores_that_are_no_numbers() -> None:
    with pytest.raises(TypeError, match="scores must be numbers: could not convert string to float: 'a'"):
        tersely.dedup(["Rope.", "Fog."], scores=["a", "b"])


@pytest.mark.parametrize(("name", "meant"), [("extractiv", "extractive"), ("LOG", "log"), ("logs", "log")])
def test_a_misspelt_strategy_is_told_which_was_meant(name: str, meant: str) -> None:
    with pytest.raises(ValueError, match=rf"did you mean '{meant}'\?$"):
        tersely.compress(TEXT, strategy=name)


def test_prepared_documents_refuse_the_budgets_that_compress_refuses() -> None:
    with pytest.raises(ValueError, match="budget must be a whole number from 0, not -5"):
        tersely.prepare(TEXT).fit(budget=-5)
    with pytest.raises(TypeError, match="budget must be a whole number, not '9'"):
        tersely.prepare(TEXT).fit(budget="9")
