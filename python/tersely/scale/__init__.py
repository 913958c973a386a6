"""A corpus instead of a document: compress and de-duplicate files of any size, stopped and resumed at will.

Needs pyarrow: pip install 'tersely[scale]'.
"""

from tersely.lazy import load_late

__getattr__, __dir__, __all__ = load_late(__name__, __file__)
