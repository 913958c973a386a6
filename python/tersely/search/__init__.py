"""What makes the results of a search fewer or shorter; the index; names: `tersely.retrieval`."""
