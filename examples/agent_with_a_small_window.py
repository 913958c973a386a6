"""Run a loop of an agent in a small window: long output of tools is cut, older messages are folded.

python examples/agent_with_a_small_window.py
"""

from __future__ import annotations

import tersely
from tersely.memory import Compactor

_WINDOW, _OUTPUT = 1500, 300  # tokens of a request, and of one result of a tool
_TASK = "Find out why the build fails, and mend it."


def run_tests(step: int) -> str:
    """Stand in for a tool: a long log with one line that matters."""
    lines = [f"test_{number:03} passed" for number in range(400)]
    lines[137] = f"src/part{step}.py:42: AssertionError: expected {step}, got {step + 1}"
    return "\n".join(lines)


def main() -> None:
    """Take twelve steps; print what each request costs, and what it would have cost."""
    compactor = Compactor(_WINDOW)
    messages = [{"role": "system", "content": "You mend software."}, {"role": "user", "content": _TASK}]
    for step in range(12):
        output = run_tests(step)
        seen = tersely.compress(output, "What failed?", budget=_OUTPUT).text
        assert f"src/part{step}.py:42" in seen
        messages += [
            {"role": "user", "content": f"Output of step {step}:\n{seen}"},
            {"role": "assistant", "content": f"I mended src/part{step}.py, line 42."},
        ]
        sent = compactor.compact(messages)
        assert sent.tokens <= _WINDOW
        print(
            f"step {step}: {sent.original_tokens} tokens, sent {sent.tokens} in {len(sent.messages)} messages"
        )


if __name__ == "__main__":
    main()
