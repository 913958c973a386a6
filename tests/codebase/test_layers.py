"""Imports go down only (ARCHITECTURE.md). Read from the sources, so that a lazy import counts too."""

from __future__ import annotations

import ast
import re
from itertools import chain
from pathlib import Path

# A module imports its own layer and those below; `tersely` is the package's __init__.
LAYERS = (
    (
        "_native",
        "cache",
        "checks",
        "documents",
        "errors",
        "file_text",
        "files",
        "lazy",
        "metrics",
        "options",
        "protocols",
        "sqlite",
        "text",
        "threads",
        "types",
    ),
    ("models",),
    ("kernels",),
    ("store",),
    ("content", "engine"),
    ("tersely",),
    ("writing",),
    ("memory", "retrieval", "strategies"),
    ("agents",),
    ("report", "scale"),
    ("integrations", "mcp"),
    ("cli",),
    ("__main__",),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
APART = {"integrations"}  # their files do not import each other

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
PYTHON_HEADER = re.compile(r"^(pybind11/|Python\.h|numpy/)")
INSTRUCTION_SETS = re.compile(
    r"immintrin\.h|x86intrin\.h|arm_neon\.h|\b_mm\d*_|__builtin_cpu|target\s*\(|target_clones"
)
# folder of csrc -> folders that its files may include
INCLUDES = {"kernels": {"kernels", "simd"}, "simd": {"simd"}, "bind": {"bind", "kernels", "simd"}}


def python_modules(root: Path) -> dict[str, Path]:
    """Dotted name inside the package -> file; a package's own file has the package's name."""
    package = root / "python" / "tersely"
    names = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts) or "tersely"] = path
    return {**names, "_native": package / "_native.pyi"}


def imported(path: Path, modules: dict[str, Path]) -> set[str]:
    """Modules of the package that a file imports anywhere in it."""
    found = set()
    stub = path.with_suffix(".pyi")  # lists what a package imports late
    files = [path, stub] if stub.exists() else [path]
    for node in chain.from_iterable(ast.walk(ast.parse(one.read_text(encoding="utf-8"))) for one in files):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} line {node.lineno}: imports are absolute"
            for alias in node.names:  # `from tersely import x`: a module x, or a name of the package
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole.removeprefix("tersely.") in modules else str(node.module))
    return {name.removeprefix("tersely.") for name in found if name.split(".")[0] == "tersely"}


def allowed(importer: str, name: str) -> bool:
    mine, other = importer.split(".")[0], name.split(".")[0]
    if mine == other:
        return mine not in APART or name == mine
    return RANK[other] < RANK[mine] or RANK[other] == RANK[mine] <= RANK["engine"]


def test_every_module_has_a_layer(root: Path) -> None:
    unknown = {name.split(".")[0] for name in python_modules(root)} - set(RANK)
    assert not unknown, "say in LAYERS where these belong"


def test_python_imports_go_down(root: Path) -> None:
    modules = python_modules(root)
    wrong = [
        f"{importer} imports {name}"
        for importer, path in modules.items()
        for name in sorted(imported(path, modules))
        if not allowed(importer, name)
    ]
    assert not wrong


def cpp_files(root: Path) -> list[Path]:
    csrc = root / "csrc"
    return [path.relative_to(csrc) for path in csrc.rglob("*") if path.suffix in {".cpp", ".hpp", ".inl"}]


def test_cpp_includes_go_down(root: Path) -> None:
    wrong = []
    for path in cpp_files(root):
        for header in INCLUDE.findall((root / "csrc" / path).read_text(encoding="utf-8")):
            folder, _, rest = header.partition("/")
            if path.parts[0] in ("kernels", "simd") and PYTHON_HEADER.match(header):
                wrong.append(f"{path} includes {header}: only csrc/bind and module.cpp know Python")
            if rest and folder in INCLUDES and folder not in INCLUDES.get(path.parts[0], ()):
                wrong.append(f"{path} includes {header}")
    assert not wrong


def test_only_simd_knows_instruction_sets(root: Path) -> None:
    for path in cpp_files(root):
        if path.parts[0] != "simd":
            found = INSTRUCTION_SETS.search((root / "csrc" / path).read_text(encoding="utf-8"))
            assert not found, f"{path}: {found and found.group()}"


def test_only_simd_is_built_with_target_flags(root: Path) -> None:
    cmake = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    for_one_file = re.compile(r"set_source_files_properties\(csrc/simd/[^)]*\)")
    rest = for_one_file.sub("", cmake)
    assert not re.search(r"-m(?:arch|tune|cpu|avx|sse|fma|amx|prefer)", rest)
    assert "-march=native" not in cmake
