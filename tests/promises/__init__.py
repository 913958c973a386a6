"""Random calls of every door, each checked for all that users are promised: `python -m promises`."""
