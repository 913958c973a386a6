"""Smaller search results: types, filters and compressors of results, contextual compression.

All but the types of chunks load when they are first asked for.
"""

from tersely.lazy import load_late

__getattr__, __dir__, __all__ = load_late(__name__, __file__)
