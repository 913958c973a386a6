"""Contextual compression: search results fitted to a token budget by their relevance to a query."""
