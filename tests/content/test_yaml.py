"""YAML: which units it has, which come first, and that what is kept is YAML."""

from __future__ import annotations

import random

import pytest
import tersely
import yaml
from hypothesis import given, strategies as st
from tersely import _native
from tersely.content.yaml import Yaml, is_laid_out

_OPENS, _PIECE = 1, 5


def _services(odd: int, at_margin: bool = False) -> str:
    names = random.Random(3)
    lines = ["services:"]
    for number in range(60):
        before = "" if at_margin else "  "
        lines += [
            f"{before}- name: {names.choice(['cart', 'mail', 'tax'])}-{number}",
            f"{before}  replicas: {names.randint(1, 3)}",
            f"{before}  state: {'quarantined' if number == odd else 'active'}",
        ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("at_margin", [False, True])
def test_the_odd_record_stays_with_its_name(at_margin: bool) -> None:
    text = _services(41, at_margin)
    result = tersely.compress(text, budget=90)
    assert result.receipt.content_types == ("yaml",) and result.tokens <= 90
    assert "-41\n" in result.text and "state: quarantined" in result.text
    assert "# …" in result.text
    kept = [line for line in result.text.split("\n") if line and not line.startswith("# …")]
    assert all(f"{line}\n" in text for line in kept)


def test_odd_keys_of_all_records_stay_before_the_rest_of_one() -> None:
    parts = [
        f"- kind: Set\n  metadata:\n    name: app-{n}\n    labels:\n      part: p-{n}\n      team: t-{n}\n"
        f"    version: '88{n}'\n  spec:\n    replicas: 2\n    pull: Always\n    image: shop/app-{n}:2.{n}\n"
        "  status:\n    ready: true\n"
        for n in range(14)
    ]
    parts[3] = parts[3].replace("ready: true", "ready: false\n    message: the quota is exceeded")
    parts[8] = parts[8].replace("    pull: Always", "    pull: Always\n    privileged: true")
    parts[11] = parts[11].replace("replicas: 2", "replicas: 0")
    short = tersely.compress("items:\n" + "".join(parts), ratio=0.15)
    assert short.receipt.content_types == ("yaml",)
    for odd in ("the quota is exceeded", "app-3", "privileged: true", "replicas: 0"):
        assert odd in short.text


def test_odd_records_and_values_of_several_lines() -> None:
    text = "".join(
        f"---\nkind: Deployment\nmetadata:\n  name: app-{number}\nspec:\n"
        f"  pull: {'Sometimes' if number == 17 else 'Always'}\n"
        for number in range(30)
    )
    result = tersely.compress(text, budget=80)
    assert "name: app-17" in result.text and "pull: Sometimes" in result.text
    assert "-33\n" in tersely.compress(_services(2), "tax-33 mail-33 cart-33", budget=90).text
    parts = [
        f"- Instances:\n  - InstanceId: i-{n:04}\n    InstanceType: m5.large\n    State:\n      Name: running"
        for n in range(40)
    ]
    parts[23] = parts[23].replace("running", "terminated")
    text = "\n".join(["Reservations:", *parts])
    assert tersely.detect(text).language == "yaml"
    short = tersely.compress(text, ratio=0.15).text
    assert "i-0023" in short and "terminated" in short
    text = "a:\n- run: |\n    make: all\n    - not an item\n  b: one\n    two\n"
    _, start, end, kind, *_ = _native.tree_units([text], "", 2)
    units = [text[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True)]
    assert units == [line for line in text.split("\n") if line]
    assert kind[:2].tolist() == [_OPENS, _OPENS]
    assert kind[-1] == _PIECE
    steps = "".join(f"    make part{number}\n" for number in range(40))
    text = f"steps:\n- run: |\n{steps}  name: build\n- run: |\n    make docs\n"
    result = tersely.compress(text, "part7 build", ratio=0.3, strategy=Yaml())
    kept = yaml.safe_load(result.text)
    assert "make part7\n" in kept["steps"][0]["run"] and "…" in kept["steps"][0]["run"]
    assert kept["steps"][0]["name"] == "build"


_KEYS = st.sampled_from(["name", "run", "on", "ports", "a b", "env.x"])
_LEAVES = st.one_of(
    st.integers(0, 99),
    st.booleans(),
    st.sampled_from(
        [
            "plain words", "it's: quoted", "one\ntwo\n\nthree: 3\n", "a # b", "[x", "", "- no item",
            "word " * 40,
        ]
    ),
)  # fmt: skip
_DATA = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(_KEYS, inner, max_size=5),
    max_leaves=30,
)


@given(
    _DATA, st.sampled_from(["", "|", ">"]), st.integers(5, 90), st.sampled_from([None, "name three", "run"])
)
def test_what_is_kept_is_yaml(data: object, style: str, percent: int, query: str | None) -> None:
    text = yaml.safe_dump({"top": data, "more": [data, 1]}, default_style=None, width=30, sort_keys=False)
    if style:
        text += f"last: {style}\n  some text\n    of several lines\n\n  # and no comment\n  end: here\n"
    if not is_laid_out(text):
        return
    result = tersely.compress(text, query, ratio=percent / 100, strategy=Yaml())
    assert "yaml_invalid" not in result.receipt.warnings
    list(yaml.parse(result.text))


@pytest.mark.parametrize(
    "text", ["One sentence.\nAnother one.\n", "a: 1\n\tb: 2\n", 'a: "b\nc: d\n', "a: [b\nc: d\n", "", "\n"]
)
def test_what_is_not_laid_out_as_yaml(text: str) -> None:
    assert not is_laid_out(text)


@given(st.text(alphabet=" -:#\n|>ab\"'\t.é", max_size=60))
def test_any_text_is_read(text: str) -> None:
    _, start, end, _, needs, *_ = _native.tree_units([text], "b", 2)
    assert (start < end).all() and (start[1:] >= end[:-1]).all()
    assert (needs < range(len(needs))).all()
    is_laid_out(text)


def _pods(size: int) -> list[dict[str, object]]:
    return [
        {"kind": "Pod", "meta": {"name": f"web-{n}", "uid": f"{n * 7919 % 9973:04x}-{n:04x}"}, "restarts": 2}
        for n in range(size)
    ]


LAYOUTS = {  # the same records as YAML lays them out
    "list": lambda pods: yaml.safe_dump({"items": pods}, sort_keys=False),
    "documents": lambda pods: "---\n" + yaml.safe_dump_all(pods, sort_keys=False),
    "map": lambda pods: yaml.safe_dump({"pods": {pod["meta"]["name"]: pod for pod in pods}}, sort_keys=False),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@given(st.integers(0, 29), st.sampled_from([{"restarts": 44}, {"reason": "quota"}, {"paused": None}]))
def test_what_is_odd_stands_under_its_own_name(layout: str, place: int, odd: dict[str, object]) -> None:
    pods = _pods(30)
    pods[place] |= odd
    text = LAYOUTS[layout](pods)
    result = tersely.compress(text, ratio=0.25, strategy=Yaml())
    documents = list(yaml.safe_load_all(result.text))
    kept = documents if layout == "documents" else next(iter(documents[0].values()))
    kept = (
        kept
        if isinstance(kept, list)
        else [value and {"meta": {"name": k}, **value} for k, value in kept.items()]
    )
    ((key, value),) = odd.items()
    (found,) = [pod for pod in kept if isinstance(pod, dict) and key in pod and pod[key] == value]
    assert found["meta"]["name"] == f"web-{place}"


def test_states_in_brackets_and_what_is_no_yaml() -> None:
    rows = [f'    - button "Part {n}" [ref=e{n}] [cursor=pointer]' for n in range(120)]
    rows[70] = '    - button "Place order" [disabled] [ref=e70]'
    rows[90] = "    - status [ref=e90]: Card refused"
    text = "\n".join(["- main [ref=e1]:", "  - form [ref=e2]:", *rows])
    result = tersely.compress(text, ratio=0.1, strategy=Yaml())
    lines = result.text.splitlines()
    assert rows[70] in lines and rows[90] in lines
    assert lines[:2] == ["- main [ref=e1]:", "  - form [ref=e2]:"]
    text = (
        "Dear all,\n\n  Subject: the move\n  Place: the old hall\n\nwe meet at nine and bring what we have.\n"
        * 3
    )
    assert tersely.detect(text).language != "yaml"
    result = tersely.compress("One sentence.\nAnother one, longer.\n" * 20, budget=20, strategy=Yaml())
    assert result.receipt.warnings and "yaml_invalid" in result.receipt.warnings
