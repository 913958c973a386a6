"""Contextual compression: the results of a search to a token budget, by what they say about a query."""
