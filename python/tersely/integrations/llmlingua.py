"""Compress prompts as LLMLingua's `PromptCompressor` does, without a model; only the import changes.

    from tersely.integrations.llmlingua import PromptCompressor  # was: from llmlingua import PromptCompressor

Signatures, defaults and keys of the result are those of llmlingua 0.2.2 (MIT licence,
github.com/microsoft/LLMLingua). Needs no other package.
"""

from __future__ import annotations

import json
import re
import warnings
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import tersely
from tersely import checks
from tersely.engine.reading import count
from tersely.engine.strategies import smallest_fit, with_required
from tersely.errors import BudgetExceededError
from tersely.models.counters import resolve_counter
from tersely.retrieval import RelevanceScorer
from tersely.retrieval.chunks import parts_of

__all__ = ["PromptCompressor"]

_TAG = re.compile(r"<llmlingua((?:\s{0,4},[^<>,]{1,60}){0,4})\s{0,4}>|</llmlingua>")


@dataclass(frozen=True, slots=True)
class StructuredPart:
    """A part of a tagged text.

    Attributes:
        text: without its tags.
        rate: the most of its tokens that may be left, in (0, 1]; 1 for one that stays.
    """

    text: str
    rate: float


def read_structure(text: str, rate: float) -> list[StructuredPart]:
    """Cut a text at its tags: "<llmlingua, rate=0.4>...</llmlingua>", "<llmlingua, compress=False>...".

    What stands in no tag, or in one without a rate, has `rate`. Raises ValueError for tags within tags, one
    that is not closed, and other words in one. O(characters).
    """
    parts: list[StructuredPart] = []
    at, inside, share = 0, False, rate
    for match in _TAG.finditer(text):
        opens = not match[0].startswith("</")
        if opens == inside:
            raise ValueError(f"the tag at character {match.start()} of a context {_WRONG[opens]}")
        parts.append(StructuredPart(text[at : match.start()], share))
        at, inside = match.end(), opens
        share = _share(match[1], rate) if opens else rate
    if inside:
        raise ValueError("a tag <llmlingua> of a context is not closed by </llmlingua>")
    parts.append(StructuredPart(text[at:], share))
    return [part for part in parts if part.text]


_WRONG = {True: "stands within another one", False: "closes none"}


def _share(options: str, rate: float) -> float:
    """Return the share that the options of a tag ask for."""
    for option in filter(None, (one.strip() for one in options.split(","))):
        name, _, value = (word.strip() for word in option.partition("="))
        if name == "compress" and value in ("True", "False"):
            if value == "False":
                return 1.0
        elif name == "rate":
            try:
                rate = checks.share(float(value), "rate")
            except ValueError as error:
                raise ValueError(f"the rate of a tag must lie in (0, 1], not {value!r}") from error
        else:
            raise ValueError(f"a tag may say rate=0.4, compress=True or compress=False, not {option!r}")
    return rate


_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("str", "string"), (str,)),
    **dict.fromkeys(("int", "integer", "float", "number"), (int, float)),
    **dict.fromkeys(("bool", "boolean"), (bool,)),
    **dict.fromkeys(("list", "List", "tuple"), (list, tuple)),
    **dict.fromkeys(("dict", "dictionary"), (dict,)),
}
_ALLOWED = ("rate", "compress", "value_type", "pair_remove")


@dataclass(frozen=True, slots=True)
class Pair:
    """A key and its value.

    Attributes:
        key, value: of the object.
        rate: the most of the tokens of `texts` that may be left, in (0, 1].
        removable: whether the pair may go.
        texts: of the value, in its order, that may become shorter; none of one that stays.
    """

    key: str
    value: Any
    rate: float
    removable: bool
    texts: tuple[str, ...]


def read_pairs(data: Any, config: Any, rate: float) -> list[Pair]:
    """Read an object's pairs, each with what its configuration says; `rate` is of those that say none.

    Raises ValueError or TypeError, which name the key, for what is no such thing. O(characters).
    """
    if isinstance(config, str):
        config = _read_file(config)
    for given, name in ((data, "json_data"), (config, "json_config")):
        if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
            raise TypeError(f"{name} must be a dict whose keys are str, not {checks.shown(given)}")
    if set(data) != set(config):
        wrong = ", ".join(sorted(set(data) ^ set(config)))
        raise ValueError(f"json_data and json_config must have the same keys; only one of them has {wrong}")
    return [_pair(key, data[key], config[key], rate) for key in data]


def _read_file(path: str) -> Any:
    """Read a file of JSON or YAML. Raises OSError, ValueError, and ImportError without PyYAML."""
    text = Path(path).read_text(encoding="utf-8")
    if path.endswith(".json"):
        return json.loads(text)
    try:
        yaml: Any = import_module("yaml")
    except ImportError as error:
        raise ImportError("json_config in YAML needs PyYAML: pip install pyyaml") from error
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"{path} is no YAML: {error}") from error


def _pair(key: str, value: Any, options: Any, rate: float) -> Pair:
    if not isinstance(options, Mapping) or not set(options) <= set(_ALLOWED):
        raise ValueError(f"the json_config of {key!r} may say {', '.join(_ALLOWED)}, not {options!r}")
    share = checks.share(options.get("rate", rate), f"the rate of {key!r}")
    removable = checks.flag(options.get("pair_remove", False), f"pair_remove of {key!r}")
    kind = options.get("value_type")
    if not checks.flag(options.get("compress", True), f"compress of {key!r}") or share == 1:
        return Pair(key, value, 1.0, removable, ())  # of any type
    if kind is not None and (kind not in _TYPES or not isinstance(value, _TYPES[kind])):
        raise ValueError(f"the value_type of {key!r} is {kind!r}, its value {checks.shown(value)}")
    return Pair(key, value, share, removable, tuple(_texts(value)))


def _texts(value: Any) -> Iterable[str]:
    """Return the texts of a value that are not blank, in its order."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    if isinstance(value, Mapping):
        value = list(value.values())
    return [text for inner in value for text in _texts(inner)] if isinstance(value, (list, tuple)) else []


def with_texts(pair: Pair, texts: Sequence[str]) -> Pair:
    """Return the pair with others in the places of its texts, one for each; "" where nothing is left."""
    left = iter(texts)

    def written(value: Any) -> Any:
        if isinstance(value, str):
            return next(left) if value.strip() else value
        if isinstance(value, Mapping):
            return {key: written(inner) for key, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [written(inner) for inner in value]
        return value

    return replace(pair, value=written(pair.value), texts=tuple(texts))


def json_text(pairs: Iterable[Pair]) -> str:
    """Return an object of these pairs as JSON; raises TypeError for a value that JSON does not have."""
    return json.dumps({pair.key: pair.value for pair in pairs}, ensure_ascii=False)


_WORD = re.compile(r"\w+")
_MARK = "…"  # where something was left out
_GAP = 10  # words between two of a quote that come back
_MARKED_GAP = 100  # where the quote says that there were some
_AHEAD = 8  # words that say which of several places is meant
_PLACES = 64  # that are looked at


@dataclass(frozen=True, slots=True)
class _Words:
    """A text's words with their places, and the places of each pair of neighbours."""

    text: str
    words: list[str]
    spans: list[tuple[int, int]]
    pairs: dict[tuple[str, str], list[int]]

    @classmethod
    def of(cls, text: str) -> _Words:
        found = list(_WORD.finditer(text))
        words = [match[0] for match in found]
        pairs: dict[tuple[str, str], list[int]] = defaultdict(list)
        for place, pair in enumerate(pairwise(words)):
            pairs[pair].append(place)
        return cls(text, words, [match.span() for match in found], pairs)

    def between(self, first: int, second: int) -> str:
        """Return the text between two words."""
        return self.text[self.spans[first][1] : self.spans[second][0]]


def recover_words(original: str, compressed: str, response: str) -> str:
    """Return the response with what was left out of the quotes in it; see `PromptCompressor.recover`."""
    checks.texts([original, compressed, response], "original_prompt, compressed_prompt and response")
    source, short, given = _Words.of(original), _Words.of(compressed), _Words.of(response)
    places = _align(short.words, source)
    written, at, index = [], 0, 0
    while index < len(given.words):
        start, length = _longest(given.words, index, short)
        for step in range(index, index + length - 1):
            first, second = places[start + step - index], places[start + step - index + 1]
            most = _MARKED_GAP if _MARK in given.between(step, step + 1) else _GAP
            if first >= 0 and 1 < second - first <= most + 1:
                written += [response[at : given.spans[step][1]], source.between(first, second)]
                at = given.spans[step + 1][0]
        index += max(length, 1)
    return "".join([*written, response[at:]])


def _longest(words: Sequence[str], index: int, short: _Words) -> tuple[int, int]:
    """Find the longest run of words from `index` on in a text: its place, and its length or 0."""
    best = (0, 0)
    if index + 1 < len(words):
        for place in short.pairs.get((words[index], words[index + 1]), ())[:_PLACES]:
            length = _common(words, index, short.words, place, len(words))
            if length > best[1]:
                best = (place, length)
    return best


def _align(words: Sequence[str], source: _Words) -> list[int]:
    """Return for each word of a compressed text its place in the source; -1 where it is not seen."""
    places: list[int] = []
    expected = 0
    for index, word in enumerate(words):
        if expected < len(source.words) and source.words[expected] == word:
            place = expected
        else:
            place = _next_place(words, index, source, expected)
        places.append(place)
        expected = place + 1 if place >= 0 else expected
    return places


def _next_place(words: Sequence[str], index: int, source: _Words, expected: int) -> int:
    """Return where a compressed text goes on in its source: near behind, else where most words agree."""
    near = range(expected, min(expected + _MARKED_GAP + 1, len(source.words)))
    best = (0, 0)  # words that agree, minus the place
    pair = (words[index], words[index + 1]) if index + 1 < len(words) else None
    for places in (near, source.pairs.get(pair, ())[:_PLACES] if pair else ()):
        for place in places:
            if source.words[place] == words[index]:
                best = max(best, (_common(words, index, source.words, place, _AHEAD), -place))
        if best[0] >= 2:
            break
    return -best[1] if best[0] else -1


def _common(some: Sequence[str], first: int, others: Sequence[str], second: int, most: int) -> int:
    """Return how many words agree from two places on, `most` at most."""
    length = 0
    end = min(most, len(some) - first, len(others) - second)
    while length < end and some[first + length] == others[second + length]:
        length += 1
    return length


# fmt: off
#: The parameters of `compress_prompt` behind `target_token`, in their positions, with their defaults.
_DEFAULTS: dict[str, Any] = {
    "iterative_size": 200, "force_context_ids": None, "force_context_number": None,
    "use_sentence_level_filter": False, "use_context_level_filter": True, "use_token_level_filter": True,
    "keep_split": False, "keep_first_sentence": 0, "keep_last_sentence": 0, "keep_sentence_number": 0,
    "high_priority_bonus": 100, "context_budget": "+100", "token_budget_ratio": 1.4,
    "condition_in_question": "none", "reorder_context": "original",
    "dynamic_context_compression_ratio": 0.0, "condition_compare": False, "add_instruction": False,
    "rank_method": "llmlingua", "concate_question": True, "context_segs": None, "context_segs_rate": None,
    "context_segs_compress": None, "target_context": -1, "context_level_rate": 1.0,
    "context_level_target_token": -1, "return_word_label": False, "word_sep": "\t\t|\t\t", "label_sep": " ",
    "token_to_word": "mean", "force_tokens": [], "force_reserve_digit": False, "drop_consecutive": False,
    "chunk_end_tokens": [".", "\n"], "strict_preserve_uncompressed": True,
}
_ONLY_THERE = {  # parameters of `compress_prompt` that `structured_compress_prompt` does not have
    "context_segs", "context_segs_rate", "context_segs_compress", "target_context", "context_level_rate",
    "context_level_target_token", "return_word_label", "word_sep", "label_sep", "token_to_word",
    "force_tokens", "force_reserve_digit", "drop_consecutive", "chunk_end_tokens",
}
_STRUCTURED_DEFAULTS = {name: value for name, value in _DEFAULTS.items() if name not in _ONLY_THERE}
#: The same of `compress_json`.
_JSON_DEFAULTS: dict[str, Any] = {
    "iterative_size": 200, "use_sentence_level_filter": False, "use_keyvalue_level_filter": False,
    "use_token_level_filter": True, "keep_split": False, "keep_first_sentence": 0, "keep_last_sentence": 0,
    "keep_sentence_number": 0, "high_priority_bonus": 100, "context_budget": "+100",
    "token_budget_ratio": 1.4, "condition_in_question": "none", "reorder_keyvalue": "original",
    "condition_compare": False, "rank_method": "llmlingua",
}
#: What does here what it does there, of each of the three.
_HEEDED = {
    "force_context_ids", "keep_first_sentence", "keep_last_sentence", "reorder_context", "concate_question",
    "force_reserve_digit",
}
_STRUCTURED_HEEDED = {"reorder_context", "concate_question"}
_JSON_HEEDED = {"use_keyvalue_level_filter", "reorder_keyvalue"}
# fmt: on
#: What would change the form of the answer: any other value than the default raises.
_ONLY_DEFAULT = {"context_segs", "context_segs_rate", "context_segs_compress", "return_word_label"}
_ORDERS = ("original", "sort", "two_stage")


class PromptCompressor:
    """Compresses prompts: sentences are kept whole, and the budget holds for all of the prompt."""

    def __init__(
        self,
        model_name: str | None = None,
        device_map: str | None = None,
        model_config: dict[str, Any] | None = None,
        open_api_config: dict[str, Any] | None = None,
        use_llmlingua2: bool = False,
        llmlingua2_config: dict[str, Any] | None = None,
        *,
        counter: Any = "cl100k_base",
        strategy: Any = None,
    ) -> None:
        """Say which form of result is expected, and how tokens are counted.

        Args:
            model_name, device_map, model_config, open_api_config, llmlingua2_config: no model is loaded; a
                UserWarning says so where one is given.
            use_llmlingua2: the prompt is the context alone, and the result has "compressed_prompt_list".
            counter, strategy: as in `tersely.compress`; llmlingua counts its results in cl100k_base.
        """
        given = {
            "model_name": model_name,
            "device_map": device_map,
            "model_config": model_config,
            "open_api_config": open_api_config,
            "llmlingua2_config": llmlingua2_config,
        }
        _warn([name for name, value in given.items() if value is not None], 3)
        self.use_llmlingua2 = use_llmlingua2
        self.counter = resolve_counter(counter)
        self.strategy = strategy

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Call `compress_prompt`."""
        return self.compress_prompt(*args, **kwargs)

    def compress_prompt(
        self,
        context: str | Sequence[str],
        instruction: str = "",
        question: str = "",
        rate: float = 0.5,
        target_token: float = -1,
        *more: Any,
        with_result: bool = False,
        **others: Any,
    ) -> dict[str, Any]:
        """Write a prompt of instruction, compressed context and question.

        Args:
            context: one text or several.
            instruction, question: stand before and behind it, as they are; the question says what matters.
            rate: the most of the prompt that may be left, in (0, 1].
            target_token: the most tokens of the whole prompt; goes before `rate`; -1: `rate` decides.
            with_result: the `tersely.Compressed` (spans, receipt, expand) is in the answer, as "result"; its
                documents are the contexts in the order of the prompt.
            more, others: llmlingua's other parameters, in their positions or by name. These mean what they
                mean there: `force_context_ids` (contexts that are kept whole), `keep_first_sentence`,
                `keep_last_sentence` (of each context), `reorder_context` ("original"; "sort": the most
                relevant contexts first; "two_stage": at both ends), `concate_question` (whether the question
                is part of the prompt), `force_reserve_digit` (sentences with numbers come first, as far as
                they fit). Those that have no meaning here are warned of (UserWarning) where they are not at
                their default; those that would change the form of the answer raise.

        Returns:
            "compressed_prompt", "origin_tokens", "compressed_tokens", "ratio" ("2.0x": original over
            compressed), "rate" ("50.0%"), "saving", and with `use_llmlingua2` "compressed_prompt_list".

        Raises:
            BudgetExceededError: instruction, question and what must be kept do not fit.
            ValueError, TypeError: a wrong argument.
        """
        rate = _old_rate(rate, others)
        options = _options("compress_prompt", _DEFAULTS, _HEEDED, more, others)
        texts = [context] if isinstance(context, str) else list(context)
        whole_ones = _indices(options["force_context_ids"] or (), len(texts))
        order = _order(texts, question, options["reorder_context"])
        asked = question if options["concate_question"] else ""
        ends = ("", "") if self.use_llmlingua2 else (instruction, asked)
        if self.use_llmlingua2 and instruction:
            _warn(["instruction"], 3)
        whole = ("", "") if self.use_llmlingua2 else (instruction, question)
        origin = count(self.counter, _framed("\n\n".join(texts), whole))
        texts = [texts[index] for index in order]
        target = checks.number(target_token, "target_token", least=-1)
        budget = checks.budget_of(int(target) if target >= 0 else None, checks.share(rate, "rate"), origin)
        strategy = self.strategy
        if options["force_reserve_digit"]:
            if strategy is not None:
                raise ValueError("force_reserve_digit needs the strategy None: it is Extractive(preserve=)")
            strategy = tersely.Extractive(preserve=("numbers",))
        first = checks.whole_number(options["keep_first_sentence"], "keep_first_sentence")
        last = checks.whole_number(options["keep_last_sentence"], "keep_last_sentence")
        places = {index: place for place, index in enumerate(order)}
        pinned = _pinned(texts, [places[index] for index in whole_ones], first, last)
        result = self._fit(texts, question or None, budget, ends, strategy, pinned)
        prompt = _framed(result.text, ends)
        answer = self._answer(prompt, origin)
        if self.use_llmlingua2:
            answer["compressed_prompt_list"] = [part.text for part in parts_of(result)]
        return {**answer, "result": result} if with_result else answer

    def structured_compress_prompt(
        self,
        context: str | Sequence[str],
        instruction: str = "",
        question: str = "",
        rate: float = 0.5,
        target_token: float = -1,
        *more: Any,
        **others: Any,
    ) -> dict[str, Any]:
        """Write a prompt of tagged contexts, each tagged part compressed by itself.

        "<llmlingua, compress=False>...</llmlingua>" stays as it is, "<llmlingua, rate=0.4>...</llmlingua>"
        keeps at most 0.4 of its tokens, everything else `rate`. With `target_token` all shares become smaller
        alike until what may be compressed fits, as far as what must stay lets it. Other parameters as in
        `compress_prompt`, of which only `concate_question` and `reorder_context` are heeded. Same answer;
        raises ValueError for wrong tags.
        """
        options = _options(
            "structured_compress_prompt", _STRUCTURED_DEFAULTS, _STRUCTURED_HEEDED, more, others
        )
        asked = question if options["concate_question"] else ""
        rate = checks.share(rate, "rate")
        target = checks.number(target_token, "target_token", least=-1)
        texts = [context] if isinstance(context, str) else list(context)
        read = [read_structure(checks.text(text, "context"), rate) for text in texts]
        plain = ["".join(part.text for part in parts) for parts in read]
        origin = count(self.counter, _framed("\n\n".join(plain), (instruction, question)))
        counts = {part: count(self.counter, part.text) for parts in read for part in parts}
        every = [part for parts in read for part in parts]
        fixed = count(self.counter, _framed("", (instruction, asked)))
        fixed += sum(counts[part] for part in every if part.rate == 1)
        wanted = sum(counts[part] * part.rate for part in every if part.rate < 1)
        order = _order(plain, question, options["reorder_context"])

        def write(smaller: float) -> str:
            written = [
                "".join(self._part(part, counts[part], smaller, question) for part in read[index])
                for index in order
            ]
            return _framed("\n\n".join(written), (instruction, asked))

        return self._answer(self._fit_shares(target, fixed, wanted, write), origin)

    def compress_json(
        self,
        json_data: Mapping[str, Any],
        json_config: str | Mapping[str, Mapping[str, Any]],
        instruction: str = "",
        question: str = "",
        rate: float = 0.5,
        target_token: float = -1,
        *more: Any,
        **others: Any,
    ) -> dict[str, Any]:
        """Compress the values of an object, each to a share of its own; what comes back is an object.

        Texts keep whole sentences; of a list of texts those of which nothing is left are "". Numbers, truth
        values and null have no shorter form and stay.

        Args:
            json_data: the object.
            json_config: for each of its keys "rate" (the most of its tokens that may be left; without it
                `rate`), "compress" (False: it stays as it is), "value_type" ("str", "int", "float", "bool",
                "list", "tuple", "dict" or llmlingua's other names for them), "pair_remove" (whether the pair
                may go); or a path to a file of YAML (needs the package PyYAML) or JSON (".json") with that.
            instruction: of no use here (UserWarning).
            question: says what matters.
            target_token: the most tokens of the whole as JSON: all shares become smaller alike. What is fixed
                stays, though, unless `use_keyvalue_level_filter` lets pairs go.
            more, others: llmlingua's other parameters, in their positions or by name. These mean what they
                mean there: `use_keyvalue_level_filter` (pairs that may be removed go, those that have least
                to do with the question first, until the whole has `target_token` tokens, or `rate` of them),
                `reorder_keyvalue` ("original", "sort", "two_stage": as `reorder_context`). Others as in
                `compress_prompt`.

        Returns:
            as `compress_prompt`; "compressed_prompt" is a dict, and tokens are those of it as JSON.

        Raises ValueError or TypeError for a wrong argument, another set of keys, or a value of another type.
        """
        options = _options("compress_json", _JSON_DEFAULTS, _JSON_HEEDED, more, others)
        if instruction:
            _warn(["instruction"], 3)
        rate = checks.share(rate, "rate")
        target = checks.number(target_token, "target_token", least=-1)
        pairs = read_pairs(json_data, json_config, rate)
        origin = count(self.counter, json_text(pairs))
        if checks.flag(options["use_keyvalue_level_filter"], "use_keyvalue_level_filter"):
            budget = checks.budget_of(int(target) if target >= 0 else None, rate, origin)
            shorter = [self._pair(pair, 1.0, question) for pair in pairs]
            order = _order([json_text([pair]) for pair in pairs], question, "sort")
            gone = [pairs[index].key for index in reversed(order) if pairs[index].removable]

            def fits(number: int) -> bool:
                without = set(gone[:number])
                left = json_text(pair for pair in shorter if pair.key not in without)
                return count(self.counter, left) <= budget

            removed = set(gone[: bisect_left(range(len(gone)), True, key=fits)])
            pairs = [pair for pair in pairs if pair.key not in removed]
        written = [json_text([pair]) for pair in pairs]
        order = _order(written, question, options["reorder_keyvalue"], "reorder_keyvalue")
        pairs = [pairs[index] for index in order]
        counts = [count(self.counter, "\n\n".join(pair.texts)) for pair in pairs]
        wanted = sum(count * pair.rate for count, pair in zip(counts, pairs, strict=True))
        fixed = count(self.counter, json_text(pairs)) - sum(counts)
        made: list[Pair] = []

        def write(smaller: float) -> str:
            made[:] = [self._pair(pair, smaller, question) for pair in pairs]
            return json_text(made)

        answer = self._answer(self._fit_shares(target, fixed, wanted, write), origin)
        return {**answer, "compressed_prompt": {pair.key: pair.value for pair in made}}

    def recover(self, original_prompt: str, compressed_prompt: str, response: str) -> str:
        """Return a response with the original's words back where it quotes what was compressed.

        Where words of the response stand side by side in the compressed prompt, and in the original with up
        to ten words between them (a hundred, where the response has the marker "…" there), these come back;
        all else stays as it is. O(characters).
        """
        return recover_words(original_prompt, compressed_prompt, response)

    def _part(self, part: StructuredPart, tokens: int, smaller: float, question: str) -> str:
        """A part within its share; white space around it stays."""
        text = part.text.strip()
        budget = int(tokens * part.rate * smaller)
        if part.rate == 1 or not text or budget >= tokens:
            return part.text
        start = part.text.index(text)
        result = self._compress_texts([text], question, budget)
        return f"{part.text[:start]}{result.text}{part.text[start + len(text) :]}"

    def _pair(self, pair: Pair, smaller: float, question: str) -> Pair:
        """A pair whose texts are within its share."""
        tokens = count(self.counter, "\n\n".join(pair.texts))
        budget = int(tokens * pair.rate * smaller)
        if not pair.texts or budget >= tokens:
            return pair
        return with_texts(pair, self._compress_texts(pair.texts, question, budget).parts)

    def _fit_shares(self, target: float, fixed: int, wanted: float, write: Callable[[float], str]) -> str:
        """Write with shares that become smaller alike until all fits, as far as what is fixed lets it."""
        aim = target
        while True:
            smaller = min(max(aim - fixed, 0) / wanted, 1.0) if target >= 0 and wanted else 1.0
            text = write(smaller)
            over = count(self.counter, text) - target
            if target < 0 or over <= 0 or aim <= fixed:
                return text
            aim = min(aim - over, (aim + fixed) // 2)

    def _compress_texts(self, texts: Sequence[str], question: str, budget: int) -> tersely.Compressed:
        """Compress texts to a budget; where nothing is as short, to the smallest that they can have."""

        def attempt(allowed: int) -> tersely.Compressed:
            return tersely.compress(
                texts, question or None, budget=allowed, counter=self.counter, strategy=self.strategy
            )

        return smallest_fit(attempt, max(budget, 1))

    def _answer(self, prompt: str, origin: int) -> dict[str, Any]:
        tokens = count(self.counter, prompt)
        ratio = origin / tokens if tokens else 1
        return {
            "compressed_prompt": prompt,
            "origin_tokens": origin,
            "compressed_tokens": tokens,
            "ratio": f"{ratio:.1f}x",
            "rate": f"{1 / ratio * 100 if ratio else 100:.1f}%",
            "saving": f", Saving ${(origin - tokens) * 0.06 / 1000:.1f} in GPT-4.",
        }

    def _fit(
        self,
        texts: list[str],
        question: str | None,
        budget: int,
        ends: tuple[str, str],
        strategy: Any,
        pinned: list[tuple[int, int, int]],
    ) -> tersely.Compressed:
        """Fit the context into what instruction and question leave of the budget, counted as one text."""
        around = count(self.counter, _framed("", ends))

        def attempt(allowed: int) -> tersely.Compressed:
            room = allowed - around
            while room >= 0:
                result = tersely.compress(
                    texts, question, budget=room, counter=self.counter, strategy=strategy, pinned=pinned
                )
                over = count(self.counter, _framed(result.text, ends)) - allowed
                if over <= 0:
                    return result
                room = max(room - over, room // 2) if room else -1
            raise BudgetExceededError(
                "instruction, question and what must stay do not fit",
                required=max(around, allowed + 1),
                budget=allowed,
            )

        return with_required(attempt, budget)


def _framed(context: str, ends: tuple[str, str]) -> str:
    before, behind = ends
    return "\n\n".join(text for text in (before, context if context.strip() else "", behind) if text)


def _pinned(texts: list[str], whole: Sequence[int], first: int, last: int) -> list[tuple[int, int, int]]:
    """Return spans of the contexts that are kept whole, and of sentences at the ends of each."""
    spans = [(index, 0, len(texts[index])) for index in whole if texts[index]]
    if first or last:
        for index, text in enumerate(texts):
            sentences = [(index, start, end) for _, start, end, _ in tersely.segment(text)]
            spans += sentences[:first] + sentences[max(len(sentences) - last, 0) :]
    return spans


def _indices(given: Sequence[int], count: int) -> list[int]:
    """Return the contexts that `force_context_ids` names, each once."""
    for index in given:
        if checks.whole_number(index, "force_context_ids") >= count:
            raise ValueError(f"force_context_ids must lie in [0, {count}), not {index}")
    return list(dict.fromkeys(given))


def _order(texts: Sequence[str], question: str, how: Any, name: str = "reorder_context") -> list[int]:
    """Return the contexts in the order of the prompt; ties, and all without a question, as they came."""
    checks.one_of(how, name, _ORDERS)
    order = list(range(len(texts)))
    if how == "original" or not question.strip() or len(texts) < 2:
        return order
    scores = [score.overall_score for score in RelevanceScorer().score_sync(list(texts), question)]
    order.sort(key=lambda index: -scores[index])
    return order if how == "sort" else order[::2] + order[1::2][::-1]


def _old_rate(rate: float, others: dict[str, Any]) -> float:
    """Return the rate; llmlingua's README still says "ratio", the share that goes, as it was before 0.2."""
    if "ratio" not in others:
        return rate
    return 1 - checks.number(others.pop("ratio"), "ratio", least=0)


def _options(
    method: str, defaults: dict[str, Any], heeded: set[str], more: Sequence[Any], others: dict[str, Any]
) -> dict[str, Any]:
    """Return llmlingua's other parameters by name; raise for unknown ones, warn of those without meaning."""
    if len(more) > len(defaults):
        before = 6 if method == "compress_json" else 5
        count = before + len(defaults)
        raise TypeError(f"{method} has {count} parameters in positions, not {before + len(more)}")
    given = dict(zip(defaults, more, strict=False))
    for name, value in others.items():
        if name not in defaults:
            raise TypeError(f"{method} has no parameter {name!r}")
        if name in given:
            raise TypeError(f"{method} got two values for {name!r}")
        given[name] = value
    changed = [name for name, value in given.items() if value != defaults[name]]
    for name in changed:
        if name in _ONLY_DEFAULT:
            raise ValueError(f"{name} must be {defaults[name]!r} here, not {given[name]!r}")
    _warn([name for name in changed if name not in heeded], 4)
    return {**defaults, **given}


def _warn(names: Sequence[str], level: int) -> None:
    if names:
        text = f"{', '.join(names)}: of no use without a model (docs/migration/llmlingua.md)"
        warnings.warn(text, UserWarning, stacklevel=level)
