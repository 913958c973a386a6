"""Read LLMLingua's configuration of an object: which texts are compressed, and to which share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from tersely.core import checks

__all__ = ["Pair", "json_text", "read_pairs", "with_texts"]

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
