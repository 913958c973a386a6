"""Check the arguments that callers pass in: numbers, names, texts, ratios; read what a query asks for.

Each function returns the value in the form that the rest of the package works with, or raises:

- TypeError, "NAME must be WHAT, not VALUE", for a value of another kind. True and False are no numbers.
- ValueError, "NAME must be WHAT from LEAST to MOST, not VALUE", for one of the right kind out of range.

All run in constant time, but for `text` (linear in characters), `texts` and `numbers` (linear in items).
"""

from __future__ import annotations

import math
import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import suppress
from enum import Enum
from functools import lru_cache, update_wrapper
from numbers import Real
from reprlib import Repr
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tersely.text import well_formed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

T = TypeVar("T")
E = TypeVar("E", bound=Enum)
F = TypeVar("F", bound=Callable[..., Any])
_BRIEFLY = Repr()  # the first items, the first and the last of long texts
_BRIEFLY.maxlevel, _BRIEFLY.maxstring, _BRIEFLY.maxother = 2, 60, 60
_BRIEFLY.maxlist = _BRIEFLY.maxtuple = _BRIEFLY.maxdict = _BRIEFLY.maxset = 2
SHARE = 0.3  # of the tokens, that is kept where nobody says how much
_SHOWN = 80  # characters of a refused value in a message: it may be a whole document


def whole_number(value: Any, name: str, *, least: int = 0, most: int | None = None) -> int:
    """Return `value` as an int in [least, most]. NumPy's integers and all else with `__index__` will do."""
    try:
        if isinstance(value, bool):
            raise TypeError
        result = operator.index(value)
    except TypeError:
        kind = ", a float" if isinstance(value, float) and value.is_integer() else ""
        raise TypeError(f"{name} must be a whole number, not {shown(value)}{kind}") from None
    if result < least or (most is not None and result > most):
        to = "" if most is None else f" to {most}"
        raise ValueError(f"{name} must be a whole number from {least}{to}, not {shown(result)}")
    return result


def number(
    value: Any,
    name: str,
    *,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
) -> float:
    """Return `value` as a finite float in [least, most], or in (above, most]."""
    if isinstance(value, bool) or not isinstance(value, (float, int, Real)):
        raise TypeError(f"{name} must be a number, not {shown(value)}")
    try:
        result = float(value)
    except OverflowError:  # an int over 1e308
        result = math.inf
    if (
        math.isfinite(result)
        and (least is None or result >= least)
        and (above is None or result > above)
        and (most is None or result <= most)
    ):
        return result
    raise ValueError(f"{name} must {_range(least, most, above)}, not {shown(result)}")


def numbers(values: Any, name: str) -> npt.NDArray[np.float64]:
    """Return an array, or lists of numbers, as float64.

    Raises TypeError for what are no numbers, and for complex ones, whose imaginary parts would be lost.
    """
    import numpy as np

    try:
        array = np.asarray(values)
        if array.dtype.kind != "c":
            return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"{name} must be numbers: {error}") from error
    raise TypeError(f"{name} must be real numbers, not {array.dtype}")


def share(value: Any, name: str) -> float:
    """Return `value` as a float in (0, 1]."""
    if type(value) is float and 0 < value <= 1:  # almost always, at a quarter of what the questions cost
        return value
    return number(value, name, above=0, most=1)


def one_of(value: Any, name: str, allowed: Iterable[T]) -> T:
    """Return the item of `allowed` that equals `value`. Raises ValueError that lists them."""
    choices = tuple(allowed)
    for choice in choices:
        # Arrays have an == of their own, so only what can be equal is compared.
        alike = isinstance(value, type(choice)) or isinstance(choice, type(value))
        if value is choice or (alike and value == choice):
            return choice
    listed = ", ".join(map(_choice, choices))
    raise ValueError(f"{name} must be one of {listed}, not {shown(value)}{meant(value, choices)}")


def member(value: Any, name: str, kind: type[E]) -> E:
    """Return the member of an enum that `value` is, has the value of, or names in any case."""
    found = None
    if isinstance(value, str):
        found = kind.__members__.get(value.upper())
    elif not isinstance(value, bool):
        with suppress(ValueError):
            found = kind(value)
    if found is None or found not in kind.__members__.values():  # a Flag makes members of any sum
        names = [name.lower() for name in kind.__members__]
        raise ValueError(f"{name} must be one of {', '.join(names)}, not {shown(value)}{meant(value, names)}")
    return found


def meant(value: Any, choices: Iterable[Any]) -> str:
    """Return "; did you mean CHOICE?" with the most similar word of `choices`, else ""."""
    close = nearest(value, choices)
    return f"; did you mean {str(close)!r}?" if close else ""


def nearest(value: Any, choices: Iterable[Any]) -> str:
    """Return the word of `choices` most similar to `value`, else ""."""
    if not isinstance(value, str):
        return ""
    from difflib import get_close_matches  # costs more than `import tersely` should

    words = {choice.lower(): choice for choice in choices if isinstance(choice, str)}
    close = get_close_matches(value[:_SHOWN].lower(), words, 1)
    return words[close[0]] if close else ""


def flag(value: Any, name: str) -> bool:
    """Return `value`, which must be True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, not {shown(value)}")
    return value


def text(value: Any, name: str) -> str:
    """Return `value`, a str, with U+FFFD for lone surrogates, which have no UTF-8 form."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be str, not {type(value).__name__}")
    return value if value.isascii() else well_formed(value)


def identifier(value: Any, name: str) -> str:
    """Return `value`, a str. Raises ValueError for a lone surrogate: replaced, two names would be one."""
    read = text(value, name)
    if value != read:
        raise ValueError(f"{name} must be a name that UTF-8 can write, not {shown(value)}: a lone surrogate")
    return read


def texts(value: Any, name: str) -> list[str]:
    """Return the str of an iterable as a list. Raises TypeError for one str: its letters are not meant."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name} must be a list of str, not one {type(value).__name__}")
    if type(value) is not list and not isinstance(value, Iterable):
        raise TypeError(f"{name} must be a list of str, not {type(value).__name__}")
    items = list(value)
    if set(map(type, items)) <= {str}:  # almost always, and twenty times faster than asking each
        return items
    for index, item in enumerate(items):
        if not isinstance(item, str):
            raise TypeError(f"{name}[{index}] must be str, not {type(item).__name__}")
    return items


def callable_or_none(value: F | None, name: str) -> F | None:
    """Return `value`, which must be a callable or None."""
    if value is not None and not callable(value):
        raise TypeError(f"{name} must be a callable or None, not {shown(value)}")
    return value


def threads(value: Any) -> int | None:
    """Return how many threads the caller asks for, from 1; None leaves the number to the package."""
    return None if value is None else whole_number(value, "threads", least=1)


def share_kept(budget: Any, ratio: Any) -> float:
    """The share that is kept where there is no budget. Raises ValueError where both are given."""
    if ratio is None:
        return SHARE
    if budget is not None:
        raise ValueError("budget and ratio both say how much stays: give one of them")
    return share(ratio, "ratio")


def budget_of(budget: int | None, ratio: float, original: int) -> int:
    """Return the budget in tokens: `budget`, else the share `ratio` of `original` tokens, at least 1."""
    if budget is not None:
        return whole_number(budget, "budget")
    return max(1, int(original * share(ratio, "ratio")))


def shown(value: Any) -> str:
    """Write a refused value for a message: its repr, cut where it is long."""
    try:
        result = repr(value)
    except Exception:  # a class of the caller's, an int of more digits than Python prints
        return f"a value of type {type(value).__name__}"
    return result if len(result) <= _SHOWN else f"{result[:_SHOWN]}… ({len(result)} characters)"


def brief(kind: type[T]) -> type[T]:
    """Give a dataclass a repr of one line: each field, long values shortened."""
    from dataclasses import fields  # `tersely run` and hooks start without them

    def one_line(self: Any) -> str:
        told = (f"{one.name}={_BRIEFLY.repr(getattr(self, one.name))}" for one in fields(self) if one.repr)
        return f"{type(self).__name__}({' '.join(', '.join(told).split())})"

    kind.__repr__ = one_line  # type: ignore[method-assign]
    return kind


def quick(kind: type[T]) -> type[T]:
    """Let a frozen dataclass with slots be made in a quarter of the time.

    Python's own `__init__` of a frozen one writes each field by a call that goes around what freezes it. This
    one writes them as attributes of an open class with the same slots; then the object becomes frozen.
    """
    from dataclasses import MISSING, fields

    frozen: Any = kind
    space: dict[str, Any] = {"_set": object.__setattr__, "_frozen": frozen, "_missing": MISSING}
    space["_open"] = type(frozen)(frozen.__name__, frozen.__bases__, {"__slots__": frozen.__slots__})
    given, lines = ["self"], ["_set(self, '__class__', _open)"]
    for one in fields(frozen):
        name, value = one.name, one.name
        if one.default is not MISSING:
            space[f"_given_{name}"] = one.default
        elif one.default_factory is not MISSING:
            space[f"_given_{name}"], space[f"_make_{name}"] = MISSING, one.default_factory
            value = f"_make_{name}() if {name} is _missing else {name}"
        given.append(f"{name}=_given_{name}" if f"_given_{name}" in space else name)
        lines.append(f"self.{name} = {value}")
    lines += ["self.__class__ = _frozen", *["self.__post_init__()"] * hasattr(frozen, "__post_init__")]
    body = "\n    ".join(lines)
    exec(f"def __init__({', '.join(given)}):\n    {body}", space)  # of names of fields alone
    made = update_wrapper(space["__init__"], frozen.__init__)
    del made.__wrapped__
    frozen.__init__ = made
    return kind


def _range(least: float | None, most: float | None, above: float | None) -> str:
    if most is not None and above is not None:
        return f"lie in ({above:g}, {most:g}]"
    if most is not None and least is not None:
        return f"lie in [{least:g}, {most:g}]"
    if most is not None:
        return f"be a finite number up to {most:g}"
    if above is not None:
        return f"be a finite number above {above:g}"
    return "be a finite number" if least is None else f"be a finite number from {least:g}"


def _choice(choice: object) -> str:
    """Show a word; quote it if it would be hard to see in a list (a comma, a tab, "")."""
    word = str(choice)
    plain = not isinstance(choice, str) or word.replace("-", "_").isidentifier()
    return word if plain else repr(word)


class Valued:
    """Base class of results that are equal where all that is compared of them is, arrays by their numbers."""

    __slots__ = ()

    def _compared(self) -> list[Any]:
        own = type(self).__dataclass_fields__.values()  # type: ignore[attr-defined]
        return [getattr(self, one.name) for one in own if one.compare]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Valued) or type(other) is not type(self):
            return NotImplemented
        return all(map(_alike, self._compared(), other._compared()))

    def __hash__(self) -> int:
        return hash(tuple(one for one in self._compared() if isinstance(one, (str, int))))


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    if hasattr(one, "tobytes") and hasattr(other, "tobytes"):
        same = (one.dtype, one.shape) == (other.dtype, other.shape)
        return bool(same and one.tobytes() == other.tobytes())
    return bool(one is other or one == other)


class Ratios(Valued, ABC):
    """Base class of results that derives `reduction` and `factor` from their `ratio`."""

    __slots__ = ()

    @property
    @abstractmethod
    def ratio(self) -> float:
        """Size of the result / size of the input; 1.0 of an empty input."""

    @property
    def reduction(self) -> float:
        """1 - ratio: the share that is gone."""
        return 1.0 - self.ratio

    @property
    def factor(self) -> float:
        """1 / ratio: how many times shorter; infinite where nothing is left."""
        return 1.0 / self.ratio if self.ratio else math.inf


QUANTITY, TIME = 1, 2  # classes of terms, csrc/kernels/text/terms.hpp

# Words that ask for something, whatever it is: they say nothing about the text that answers.
_REQUEST = re.compile(
    r"\b(?:answers?|according|context|describe|details?|discuss|documents?|explain|extract|find|following|give|"
    r"highlight|identify|list|mention(?:ed|s)?|parts?|passages?|please|provided?|questions?|relat(?:ed|ing|ion)|"
    r"show|stated?|summari[sz]e|tell|text)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:when|(?:what|which) (?:year|date|day|month|time|century|decade)|how (?:long ago|recently)|"
    r"wann|quand|cu[aá]ndo|quando|когда)\b|什么时候|何时|いつ|कब|متى",
    re.IGNORECASE,
)
_QUANTITY = re.compile(
    r"\b(?:how (?:many|much|old|tall|long|far|high|large|big|often|deep|fast|wide|heavy|likely)|"
    r"(?:what|which) (?:percent(?:age)?|number|amount|proportion|share|price|rate)|"
    r"wie ?viele?|combien|cu[aá]nt[oa]s?|quant[oiae]s?|сколько)\b|多少|几|いくつ|何人|कितन|كم",
    re.IGNORECASE,
)

_ENGLISH = re.compile(
    r"\b(?:the|of|is|are|was|were|what|which|who|how|does|did|do|when|where|why|and|to|for|with|by|from|that)\b",
    re.IGNORECASE,
)
_FEW_WORDS = 4  # need no such word


class Question(NamedTuple):
    """A query, read: its words without the request around them, and the kind of answer."""

    #: the query without words of request ("highlight", "please", "the following"); the query itself where
    #: nothing else is in it
    text: str
    answer: int  #: TIME for "when", QUANTITY for "how many", 0 where the question does not say


@lru_cache(maxsize=16)  # a call reads its query where its terms are read, and where they are weighed
def read_question(query: str) -> Question:
    """Read a query; English request words, question words of eleven languages. O(characters)."""
    text = _REQUEST.sub(" ", query)
    answer = TIME if _TIME.search(query) else QUANTITY if _QUANTITY.search(query) else 0
    if answer and _REQUEST.search(query):
        from tersely import _native

        if not len(_native.read_terms([text])[0]):  # "When is the show?" asks about one of these words
            return Question(query, answer)
    return Question(text if any(map(str.isalnum, text)) else query, answer)


@lru_cache(maxsize=16)
def is_english(query: str) -> bool:
    """Whether a query may be English: plain letters, with an English function word unless it is short."""
    if not query.isascii() and any(letter.isalpha() and not letter.isascii() for letter in query):
        return False
    return len(query.split()) <= _FEW_WORDS or _ENGLISH.search(query) is not None
