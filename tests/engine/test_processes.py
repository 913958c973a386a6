"""Fork, spawn, and what importing does."""

from __future__ import annotations

from script_runs import run_code

# Fork is used on purpose: newer Pythons warn of it in a process with threads.
START = """
import multiprocessing, warnings
warnings.simplefilter("ignore")
import tersely
from sample_texts import ALL, prose

def work(sentences):
    return tersely.compress(prose(sentences), "copper", budget=200).to_dict()

def in_child(method, sentences):
    with multiprocessing.get_context(method).Pool(1) as pool:  # spawned: knows modules alone
        done = pool.apply_async(tersely.compress, (prose(sentences), "copper"), {"budget": 200})
        return done.get(timeout=120).to_dict()
"""


def test_children_give_the_same_results_whatever_the_process_did_before() -> None:
    """Forked and spawned ones; then after a batch on threads; then after counting in parallel.

    More than two million characters are counted on several threads; a fork does not inherit them.
    """
    code = """
expected = work(60)
assert in_child("fork", 60) == in_child("spawn", 60) == expected
tersely.compress_batch([*ALL, prose(60)] * 3, "copper", threads=4)
assert in_child("fork", 60) == expected
expected = work(40_000)
assert in_child("fork", 40_000) == expected
"""
    done = run_code(START + code)
    assert done.returncode == 0, done.stderr[-2000:]


def test_importing_prints_nothing_and_starts_nothing() -> None:
    done = run_code("import threading, tersely; assert threading.active_count() == 1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


QUIET = """
import sys, warnings
warnings.simplefilter("error")
import tersely
tersely.compress("Rope. " * 50, budget=9)
"""


def test_using_it_loads_no_optional_package_and_warns_of_nothing() -> None:
    names = {"tokenizers", "tiktoken", "transformers", "onnxruntime", "openai", "rich"}
    done = run_code(f"{QUIET}print({names!r} & sys.modules.keys())")
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "set()", "")
