"""Evidence kept against the budget, as a picture."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.quality.evidence import SHOWN
from benchmarks.quality.systems import HAND, OURS
from benchmarks.quality.tasks import RATIOS

__all__ = ["draw"]

_OURS = ("#d55e00", "#cc79a7", "#8c2d04")
#: Okabe and Ito's colours, told apart by colour-blind readers; the markers differ, too.
_PEERS = ("#0072b2", "#009e73", "#56b4e9", "#e69f00", "#5d3a9b", "#4d4d4d", "#117733", "#882255")
_MARKERS = "sD^vPXph<>"
_GREY = "#8a8a8a"


def draw(path: Path, rows: Sequence[dict[str, Any]], sample: str) -> None:
    """Write the picture, in the format of the file's ending; rows as `evidence.overall` gives them."""
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(figsize=(8.4, 4.4), layout="constrained")
    _curves(axes, _shown(rows), _styles([row["system"] for row in rows]))
    axes.set_title(f"Evidence kept, mean over the sets, 95% bootstrap intervals; {sample}", fontsize=9)
    figure.savefig(path, dpi=130)
    pyplot.close(figure)


def _pyplot() -> Any:
    importlib.import_module("matplotlib").use("Agg")
    return importlib.import_module("matplotlib.pyplot")


def _shown(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The systems that ran, the best at the largest budget first."""
    ran = (row for row in rows if str(SHOWN) in row and "cpu" in row)
    return sorted(ran, key=lambda row: -row[str(RATIOS[-1])])


def _styles(names: list[str]) -> dict[str, dict[str, Any]]:
    ours = [name for name in names if name.startswith(OURS)]
    others = [name for name in names if name not in (*ours, HAND)]
    found = {
        name: {
            "color": _PEERS[index % len(_PEERS)],
            "marker": _MARKERS[index % len(_MARKERS)],
            "linewidth": 1.4,
        }
        for index, name in enumerate(others)
    }
    for index, name in enumerate(ours):
        found[name] = {"color": _OURS[index % len(_OURS)], "marker": "o", "linewidth": 2.8, "zorder": 5}
    return found | {HAND: {"color": _GREY, "marker": "", "linewidth": 1.4, "linestyle": "--"}}


def _curves(axes: Any, rows: list[dict[str, Any]], styles: dict[str, dict[str, Any]]) -> None:
    budgets = [100 * ratio for ratio in RATIOS]
    for row in rows:
        style = styles[row["system"]]
        axes.plot(budgets, [row[str(ratio)] for ratio in RATIOS], markersize=6, **style)
        low, high = ([row[f"{ratio} {end}"] for ratio in RATIOS] for end in ("low", "high"))
        axes.fill_between(budgets, low, high, color=style["color"], alpha=0.12, linewidth=0)
    axes.set(xlabel="budget, % of the tokens", ylabel="evidence kept", xticks=budgets)
    axes.set_xlim(budgets[0] - 1, budgets[-1] + 1)
    axes.set_ylim(axes.get_ylim()[0], 1.01)
    _labels(axes, [(budgets[-1], row[str(RATIOS[-1])], _over(row), row["system"]) for row in rows], styles)


def _over(row: dict[str, Any]) -> str:
    return f"{row['system']}, over budget in {row['over']:.0%}" if row["over"] else str(row["system"])


def _labels(
    axes: Any, labels: list[tuple[float, float, str, str]], styles: dict[str, dict[str, Any]]
) -> None:
    """(x, y, text, system), the highest first: a column beside the frame, so that none covers another."""
    bottom, top = axes.get_ylim()
    heights = _apart([(y - bottom) / (top - bottom) for _, y, _, _ in labels], 0.036, 0.0, 0.99)
    for (x, y, text, system), height in zip(labels, heights, strict=True):
        axes.annotate(
            text,
            (x, y),
            (1.03, height),
            textcoords="axes fraction",
            color=styles[system]["color"],
            fontsize=9,
            fontweight="bold" if system.startswith(OURS) else "normal",
            verticalalignment="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": "#b0b0b0",
                "linewidth": 0.7,
                "shrinkA": 0,
                "shrinkB": 5,
                "relpos": (0, 0.5),
                "zorder": 1,
            },
        )
    axes.grid(visible=True, color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _apart(heights: list[float], least: float, bottom: float, top: float) -> list[float]:
    """Falling heights moved as little as it takes to stand `least` apart, within the limits."""
    placed: list[float] = []
    for height in heights:
        placed.append(min(height, placed[-1] - least if placed else top))
    if placed and placed[-1] < bottom:
        placed[-1] = bottom
        for index in range(len(placed) - 2, -1, -1):
            placed[index] = max(placed[index], placed[index + 1] + least)
    return placed
