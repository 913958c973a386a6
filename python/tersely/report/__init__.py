"""Show a result as one page of HTML: the source with what was kept and dropped, and the compressed text."""

from __future__ import annotations

from tersely.report.page import to_html, write_html

__all__ = ["to_html", "write_html"]
