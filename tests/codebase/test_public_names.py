"""What `import tersely` offers: names, docstrings, version."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import tomllib
from pathlib import Path

import pytest
import tersely

PUBLIC = [
    "BatchTokenCounter",
    "BudgetExceededError",
    "Compressed",
    "CompressionError",
    "CrossEncoder",
    "Deduplicated",
    "Detection",
    "Document",
    "Embedder",
    "Extractive",
    "Fact",
    "FactKind",
    "FactReport",
    "Kind",
    "LanguageModel",
    "Level",
    "MissingExtraError",
    "ModelReplyError",
    "NotReversibleError",
    "Receipt",
    "RelevanceScoringError",
    "SegmentTable",
    "Span",
    "StaticEmbedder",
    "StoreError",
    "Strategy",
    "SummarizationError",
    "TokenCounter",
    "UnknownIdError",
    "VersionConflictError",
    "__version__",
    "acompress",
    "check_facts",
    "compress",
    "compress_batch",
    "dedup",
    "detect",
    "find_facts",
    "guard_keys",
    "kernels",
    "prepare",
    "segment",
]


def test_all_is_exact_and_sorted() -> None:
    assert tersely.__all__ == PUBLIC == sorted(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_have_docstrings(name: str) -> None:
    thing = getattr(tersely, name)
    assert thing.__doc__ and thing.__doc__.strip()
    if inspect.isclass(thing):
        own = {key: value for key, value in vars(thing).items() if not key.startswith("_")}
        silent = [key for key, value in own.items() if inspect.isroutine(value) and not inspect.getdoc(value)]
        silent += [key for key, value in own.items() if isinstance(value, property) and not value.__doc__]
        assert not silent


def test_a_dataclass_does_not_document_itself_by_its_signature() -> None:
    for name in PUBLIC:
        assert not (getattr(tersely, name).__doc__ or "").startswith(f"{name}("), name


@pytest.mark.parametrize("package", ["agents", "memory", "retrieval", "scale", "store", "strategies"])
def test_names_that_load_late_are_listed(package: str) -> None:
    module = importlib.import_module(f"tersely.{package}")
    assert set(module.__all__) <= set(dir(module))


def test_versions_agree(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert tersely.__version__ == project["version"]


# What made first lines riddles: questions for answers, "of which", words for "is" and "has" that say less.
RIDDLE = re.compile(r"^(What|Of|The same)\b|\bof which\b|\bnone is\b|\bstands?\b")


def test_first_lines_of_docstrings_are_no_riddles(root: Path) -> None:
    found = []
    for path in (root / "python" / "tersely").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                line = (ast.get_docstring(node) or "").partition("\n")[0]
                found += [f"{path.name}: {line}"] if RIDDLE.search(line) else []
    assert not found
