"""An embedded index: a folder's files in chunks, searched by words and by vectors.

>>> index = Index.build("docs")  # doctest: +SKIP
>>> index.search("how are tokens rotated?", top_n=3)  # doctest: +SKIP
"""

from tersely.retrieval.index.files import extract
from tersely.retrieval.index.index import Index

__all__ = [
    "Index",
    "extract",
]
