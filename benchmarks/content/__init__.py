"""What agents read: a part for each content type; `python -m benchmarks.content`."""
