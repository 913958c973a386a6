"""Benchmarks of the store and of agents' memory."""
