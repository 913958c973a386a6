"""Ways to compress: strategies, their names for the command line and servers, and the compressors.

The compressors and their types load when they are first asked for.
"""

from tersely.lazy import load_late

__getattr__, __dir__, __all__ = load_late(__name__, __file__)
