"""Show a result as one HTML page: the source with kept and dropped parts, and the compressed text."""

from __future__ import annotations

from tersely.report.page import to_html, write_html

__all__ = ["to_html", "write_html"]
