"""tersely: fits more meaning into fewer tokens.

>>> import tersely
>>> result = tersely.compress("Long text. " * 200, budget=50)
>>> result.tokens <= 50
True
"""

from tersely.lazy import load_late

__getattr__, __dir__, __all__ = load_late(__name__, __file__)
