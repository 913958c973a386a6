"""Benchmarks of retrieval: `python -m benchmarks.retrieval`."""
