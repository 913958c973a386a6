"""Benchmarks of retrieval: results of searches made smaller, and the server."""
