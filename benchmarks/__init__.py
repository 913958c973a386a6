"""Benchmarks of tersely: quality and speed, beside its peers in the same run."""
