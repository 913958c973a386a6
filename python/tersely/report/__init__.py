"""Show a result as one page of HTML: the source with what was kept and dropped, and the compressed text."""

from __future__ import annotations

from tersely.report.page import compare_html, to_html, write_comparison, write_html

__all__ = ["compare_html", "to_html", "write_comparison", "write_html"]
