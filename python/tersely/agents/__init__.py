"""Compress an agent's tool results once, before a model first sees them: no cached prefix ever changes.

>>> from tersely.agents import compress_tool_result
>>> rows = [{"id": row, "state": "failed" if row == 71 else "done"} for row in range(200)]
>>> short = compress_tool_result(rows, budget=200)
>>> type(short), {"id": 71, "state": "failed"} in short
(<class 'list'>, True)
"""

from tersely.lazy import load_late

__getattr__, __dir__, __all__ = load_late(__name__, __file__)
