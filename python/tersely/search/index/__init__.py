"""An embedded index: a folder's files in chunks, searched by words and by vectors.

>>> index = Index.build("docs")  # doctest: +SKIP
>>> index.search("how are tokens rotated?", top_n=3)  # doctest: +SKIP
"""

from tersely.search.index.building import BuildReport
from tersely.search.index.chunking import Chunk, cut_chunks
from tersely.search.index.extracting import Extracted, extract
from tersely.search.index.files import FileNote
from tersely.search.index.index import Index, SearchMethod
from tersely.search.index.ranking import fuse, normalize_scores

__all__ = [
    "BuildReport",
    "Chunk",
    "Extracted",
    "FileNote",
    "Index",
    "SearchMethod",
    "cut_chunks",
    "extract",
    "fuse",
    "normalize_scores",
]
