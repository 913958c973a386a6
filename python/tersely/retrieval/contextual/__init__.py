"""Contextual compression: results of a search fitted to a token budget, by what they say about a query."""
