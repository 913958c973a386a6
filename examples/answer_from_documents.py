"""Make a prompt out of a folder of documents: what answers a question, within a budget, with its places.

python examples/answer_from_documents.py docs/guide "What survives a restart?"
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import tersely
from tersely.retrieval.index import Index

_BUDGET = 600  # tokens for the documents


def make_prompt(folder: Path, question: str) -> str:
    """Return a prompt that holds at most `_BUDGET` tokens of the documents."""
    with TemporaryDirectory() as place:
        found = Index.build(folder, place).search(question, 20)
    chunks = [tersely.Document(hit.content, id=hit.file_path, title=hit.header_path) for hit in found]
    result = tersely.compress(chunks, question, budget=_BUDGET)
    sources = [
        f"[{document.id}]\n{part}" for document, part in zip(chunks, result.parts, strict=True) if part
    ]
    return "Answer from these sources:\n\n" + "\n\n".join([*sources, f"Question: {question}"])


if __name__ == "__main__":
    folder, question = sys.argv[1:] or ("docs/guide", "What survives a restart?")
    print(make_prompt(Path(folder), question))
