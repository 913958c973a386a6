"""A reader of one's own, in an installed package, is used by every door."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECIPE = "Recipe: my grandmother's bread.\n- 500 g flour\n- 10 g salt\n" + "".join(
    f"She baked it on Saturday {n}, when it rained in the harbour.\n" for n in range(200)
)
ASK = """
import json, sys, warnings
import tersely
text = open(sys.argv[1], encoding="utf-8").read()
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    by_name = tersely.compress({"text": text.removeprefix("Recipe: "), "name": "bread.recipe"}, budget=40)
results = [
    tersely.compress(text, budget=40),
    by_name,
    tersely.compress(text.removeprefix("Recipe: "), budget=40, strategy="recipe"),
    tersely.compress({"text": text, "metadata": {"content_type": "recipe"}}, budget=40),
]
print(json.dumps([[r.receipt.content_types, r.text] for r in results] + [[str(one.message) for one in told]]))
"""


# Which files and texts are of its type, as the guide says that a class may.
CLAIMS = """

class RecipeFiles(Recipes):
    suffixes = (".recipe",)

    @staticmethod
    def fits(text):
        return text.startswith("Recipe:")
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a package with the guide's reader is installed, beside one that is broken."""
    pytest.importorskip("pip")
    folder = tmp_path_factory.mktemp("own")
    guide = (ROOT / "docs" / "guide" / "extending.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", guide, flags=re.DOTALL)
    code = blocks[0].partition("\n\nrecipe = ")[0] + CLAIMS
    wheel = folder / "my_recipes-1.0-py3-none-any.whl"
    points = (
        "[tersely.content]\nrecipe = my_recipes:RecipeFiles\njson = my_recipes:Recipes\nbad = nowhere:X\n"
    )
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr("my_recipes.py", code)
        about = "my_recipes-1.0.dist-info"
        packed.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: my-recipes\nVersion: 1.0\n")
        packed.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        packed.writestr(f"{about}/entry_points.txt", points)
        packed.writestr(f"{about}/RECORD", "")
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target"]
    subprocess.run([*install, str(folder / "there"), str(wheel)], check=True, capture_output=True)
    (folder / "bread.recipe").write_text(RECIPE, encoding="utf-8")
    return folder


def run(installed: Path, *command: str, given: str = "") -> str:
    environment = {
        **os.environ,
        "PYTHONPATH": str(installed / "there"),
        "XDG_STATE_HOME": str(installed / "state"),
    }
    done = subprocess.run(
        [sys.executable, *command],
        input=given,
        env=environment,
        cwd=installed,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_auto_names_and_metadata_find_it_and_what_does_not_load_is_said(installed: Path) -> None:
    *results, told = json.loads(run(installed, "-c", ASK, "bread.recipe"))
    assert len(told) == 2 and "'json' (my_recipes:Recipes) is left out" in told[0] and "'bad'" in told[1]
    for kinds, text in results:
        assert kinds == ["recipe"]
        assert "- 500 g flour\n- 10 g salt" in text and "lines left out)" in text


@pytest.mark.parametrize("command", ["compress bread.recipe", "compress - --as recipe"])
def test_the_command_uses_it(installed: Path, command: str) -> None:
    out = run(installed, "-m", "tersely", *command.split(), "--budget", "40", "--quiet", given=RECIPE)
    assert "- 500 g flour\n- 10 g salt" in out and "lines left out)" in out


def test_a_hook_uses_it(installed: Path) -> None:
    event = {
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "cat bread.recipe"},
        "tool_response": {"stdout": RECIPE.removeprefix("Recipe: "), "stderr": "", "interrupted": False},
    }
    answer = run(
        installed,
        "-m",
        "tersely",
        "hook",
        "--agent",
        "claude-code",
        "--budget",
        "300",
        given=json.dumps(event),
    )
    output = json.loads(answer)["hookSpecificOutput"]["updatedToolOutput"]["stdout"]
    assert "- 500 g flour\n- 10 g salt" in output and "lines left out)" in output
