"""An embedded index: a folder's files in chunks, searched by words and by vectors.

>>> index = Index.build("docs")  # doctest: +SKIP
>>> index.search("how are tokens rotated?", top_n=3)  # doctest: +SKIP
"""

from tersely.retrieval.index.building import BuildReport
from tersely.retrieval.index.chunking import Chunk, cut_chunks
from tersely.retrieval.index.files import Extracted, FileNote, extract
from tersely.retrieval.index.index import Index, SearchMethod
from tersely.retrieval.index.ranking import fuse, normalize_scores

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
