"""Make a static table of token vectors from a sentence model and a folder of text (extra `distill`)."""

from tersely.distill.table import DistillReport, distill

__all__ = ["DistillReport", "distill"]
