"""How odd the values of one place are: the oracle of csrc/kernels/content/odd_values.hpp."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

_TOLD_APART = 32  # different values
_FAR = 20  # of so many numbers one at most is far
_GAP = 3  # powers of two between far numbers and others, and one
_UNITS = {"n": -30, "u": -20, "µ": -20, "m": -10, "k": 10, "K": 10, "M": 20, "G": 30, "T": 40}
_NUMBER = re.compile(r"([+-]?)(\d+(?:\.\d*)?)([^\W\d_]{0,3}|%)")


def size(value: str) -> float | str:
    """The power of two of a number with its unit, or what is apart from such."""
    found = _NUMBER.fullmatch(value)
    if found is None:
        return "no number"
    sign, digits, unit = found.groups()
    if float(digits) == 0:
        return "zero"
    if sign == "-":
        return "below zero"
    scaled = unit in {"ns", "us", "µs", "ms", "m"} or re.fullmatch("[kKMGT]([iBb].?)?", unit)
    power = _UNITS.get(unit[:1], 0) if scaled else 0
    return max(math.frexp(float(digits))[1] - 1 + power, -30)


def number(value: str) -> float:
    """The number with its unit in one unit; below all others: it is none."""
    found = _NUMBER.fullmatch(value)
    if found is None:
        return -1e300
    sign, digits, unit = found.groups()
    scaled = unit in {"ns", "us", "µs", "ms", "m"} or re.fullmatch("[kKMGT]([iBb].?)?", unit)
    power = _UNITS.get(unit[:1], 0) if scaled else 0
    return (-1 if sign == "-" else 1) * float(digits) * 2.0**power


def largest(values: Sequence[str]) -> int:
    """The place of the largest number, where it is measured and tells something; -1: it does not."""
    numbers = list(map(number, values))
    n, most = len(values), max(numbers)
    outgrown = sum(one > max(numbers[:i], default=-1e300) for i, one in enumerate(numbers))
    named = 2 * sum(size(value) == "no number" for value in values) > n
    differ = len(set(values)) > _TOLD_APART or 3 * len(set(values)) >= n
    tells = n >= 6 and differ and not named and numbers.count(most) == 1 and outgrown <= 2 + n // 3
    found = numbers.index(most)
    measured = not values[found].lstrip("+-").isdecimal()
    return found if tells and measured and len(set(values)) > 1 else -1


def oddity(values: Sequence[str]) -> list[float]:
    """float[n]: how odd each value is among all of them, but for the largest number."""
    n, counts, sizes = len(values), Counter(values), Counter(map(size, values))

    def far(few: int) -> float:
        named = 2 * sizes["no number"] > n
        return math.log2(n / few) if 0 < few * _FAR <= n and not named else 0.0

    numbers = sorted(key for key in sizes if not isinstance(key, str))
    odd = {key: far(sizes[key]) for key in sizes if isinstance(key, str)}
    if numbers and numbers[0] < 3:  # who counts begins with 0
        odd["zero"] = 0.0
    odd |= dict.fromkeys(numbers, far(sum(sizes[key] for key in numbers)))
    for low, high in pairwise(numbers):
        if high - low < _GAP:
            continue
        for key in numbers:
            side = [other for other in numbers if (other < high) == (key < high)]
            odd[key] = max(odd[key], far(sum(sizes[other] for other in side)))
    total = sum(sizes[key] for key in numbers)
    middle = next((key for key in numbers if 2 * sum(sizes[o] for o in numbers if o <= key) >= total), 0)
    for key in numbers:
        if key - middle >= _GAP:
            odd[key] = max(odd[key], 2 / 3 * far(sum(sizes[other] for other in numbers if other >= key)))
    result = [odd[size(value)] for value in values]
    if 1 < len(counts) <= _TOLD_APART:
        entropy = sum(c / n * math.log2(n / c) for c in counts.values())
        mean = sum(c * c for c in counts.values()) / n
        for i, value in enumerate(values):
            rarer = sum(c for c in counts.values() if c <= counts[value])
            rare = min(math.log2(n / rarer), 2 * math.log2(mean / counts[value]))
            result[i] = max(result[i], (1 - entropy / math.log2(n)) * rare)
    return result if len(counts) > 1 else [0.0] * n
