"""An embedded index: a folder's files in chunks, searched by words and by vectors."""

from tersely.search.index import *  # noqa: F403
from tersely.search.index import __all__ as __all__
