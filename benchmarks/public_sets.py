"""Public sets of questions and summaries: where they are published, and how they become rows.

Addresses, sizes and digests are those of the package index, and those that the library `datasets` recorded
when it loaded the other files from their authors (dataset_infos.json, checksums.txt in huggingface/datasets);
licences are those that the authors announce. Of each set the rows whose ids have the smallest SHA-256 are
taken: the same file, the same rows.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import accumulate
from typing import Any

from benchmarks.distractors import Distractors
from benchmarks.package_sets import code_functions, docs_sections

__all__ = ["SETS", "PublicSet", "Source"]

Row = dict[str, Any]
_ROWS = 400  # of a set, at most
_GITHUB = "https://raw.githubusercontent.com"
_INDEX = "https://files.pythonhosted.org/packages"


@dataclass(frozen=True, slots=True)
class Source:
    """A file that its authors published."""

    url: str  #: its address; the file's name is what stands behind the last slash
    size: int  #: bytes
    sha256: str  #: of its bytes, in hexadecimal digits

    @property
    def name(self) -> str:
        """The file's name."""
        return self.url.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class PublicSet:
    """A set of the benchmarks and what it is made of."""

    name: str  #: of the file that the benchmarks read, without its suffix
    licence: str  #: of the texts, as their authors say
    sources: tuple[Source, ...]  #: what is fetched
    rows: Callable[[Sequence[bytes]], Iterator[Row]]  #: bytes of the sources, in their order -> rows


def _chosen(rows: Iterator[Row]) -> list[Row]:
    """The rows whose ids have the smallest digests, so many that a run of the benchmark finds enough."""
    return nsmallest(_ROWS, rows, key=lambda row: hashlib.sha256(row["id"].encode()).digest())


def _lines(source: bytes) -> Iterator[Any]:
    return (json.loads(line) for line in source.splitlines() if line.strip())


def _evidence(text: str, document: int, answers: Sequence[Row], kind: str) -> list[Row]:
    """Where answers stand in a text; a wrong place is moved to the nearest right one, else left out."""
    found: dict[tuple[int, int], Row] = {}
    for answer in answers:
        said, start = answer["text"], answer["answer_start"]
        if not said.strip():
            continue
        if text[start : start + len(said)] != said:
            places = [match.start() for match in re.finditer(re.escape(said), text)]
            if not places:
                continue
            start = min(places, key=lambda place: abs(place - start))
        end = start + len(said)
        found[start, end] = {"doc": document, "start": start, "end": end, "text": said, "kind": kind}
    return list(found.values())


def _articles(kind: str, member: str = "") -> Callable[[Sequence[bytes]], Iterator[Row]]:
    """Reader of files in SQuAD's form whose paragraphs are whole documents, each with its questions.

    kind: of evidence; member: the file in a zip archive that is read, "": the source is the file.
    """

    def rows(sources: Sequence[bytes]) -> Iterator[Row]:
        (source,) = sources
        if member:
            with zipfile.ZipFile(io.BytesIO(source)) as archive:
                source = archive.read(member)
        every = (
            (article, paragraph)
            for article in json.loads(source)["data"]
            for paragraph in article["paragraphs"]
        )
        return iter(_chosen(_document(*one, number, kind) for number, one in enumerate(every)))

    return rows


def _document(article: Row, paragraph: Row, number: int, kind: str) -> Row:
    text = paragraph["context"]
    title = article.get("title") or text.strip().partition("\n")[0][:120]
    queries = [
        {
            "id": str(asked["id"]),
            "query": asked["question"],
            "evidence": _evidence(text, 0, asked["answers"], kind),
            "answers": list(dict.fromkeys(answer["text"] for answer in asked["answers"])),
        }
        for asked in paragraph["qas"]
        if asked["answers"]
    ]
    return {"id": f"{number}", "documents": [{"id": "0", "title": title, "text": text}], "queries": queries}


def _xquad(sources: Sequence[bytes]) -> Iterator[Row]:
    """Each question beside the paragraphs of its article, one file a language."""
    for language, source in zip(_LANGUAGES, sources, strict=True):
        yield from _chosen(_of_articles(language, json.loads(source)["data"]))


def _of_articles(language: str, articles: Sequence[Row]) -> Iterator[Row]:
    for number, article in enumerate(articles):
        texts = [paragraph["context"] for paragraph in article["paragraphs"]]
        title = f"article {number}"  # the same in all languages: translations stay in one half
        documents = [{"id": str(at), "title": title, "text": text} for at, text in enumerate(texts)]
        for at, paragraph in enumerate(article["paragraphs"]):
            for asked in paragraph["qas"]:
                yield {
                    "id": f"{language}-{asked['id']}",
                    "query": asked["question"],
                    "documents": documents,
                    "evidence": _evidence(texts[at], at, asked["answers"], "answer_span"),
                    "answers": list(dict.fromkeys(answer["text"] for answer in asked["answers"])),
                    "meta": {"lang": language, "article": number, "gold_doc": at},
                }


def _hotpotqa(sources: Sequence[bytes]) -> Iterator[Row]:
    """Each question beside its ten paragraphs; the evidence are the supporting sentences."""
    every = ({**one, "id": one["_id"]} for one in json.loads(sources[0]))
    for one in _chosen(every):
        supporting = {(title, number) for title, number in one["supporting_facts"]}
        documents, evidence = [], []
        for at, (title, sentences) in enumerate(one["context"]):
            documents.append({"id": f"{one['id']}:{at}", "title": title, "text": "".join(sentences)})
            end = 0
            for number, sentence in enumerate(sentences):
                start, end = end, end + len(sentence)
                if (title, number) in supporting and sentence.strip():
                    start += len(sentence) - len(sentence.lstrip())
                    said = sentence.strip()
                    place = {"doc": at, "start": start, "end": start + len(said), "text": said}
                    evidence.append({**place, "kind": "supporting_sentence"})
        yield {
            "id": one["id"],
            "query": one["question"],
            "documents": documents,
            "evidence": evidence,
            "answers": [one["answer"]],
        }


def _qed(sources: Sequence[bytes]) -> Iterator[Row]:
    """Each question beside its paragraph and nine others that share its rarest words and lack the answer."""
    every = [
        one for one in _lines(sources[0]) if (one["annotation"].get("selected_sentence") or {}).get("string")
    ]
    titles = {one["paragraph_text"]: one["title_text"] for one in every}
    near = Distractors(list(titles))
    for one in _chosen({**one, "id": f"qed-{one['example_id']}"} for one in every):
        gold, answers = one["paragraph_text"], _qed_answers(one)
        shown = near.among(one["question_text"], [gold], _lacks(answers))
        said = one["annotation"]["selected_sentence"]
        places = [{"text": said["string"], "answer_start": said["start"]}]
        yield {
            "id": one["id"],
            "query": one["question_text"],
            "documents": _documents(shown, titles),
            "evidence": _evidence(gold, shown.index(gold), places, "selected_sentence"),
            "answers": answers,
        }


def _selqa(sources: Sequence[bytes]) -> Iterator[Row]:
    """Each question beside the section that answers it and nine of other articles that share its words."""
    every = [{**one, "id": f"selqa-{at}"} for at, one in enumerate(json.loads(sources[0])) if one["answers"]]
    titles = {" ".join(one["candidates"]): one["article"] for one in every}
    near = Distractors(list(titles))
    for one in _chosen(iter(every)):
        gold, sentences = " ".join(one["candidates"]), one["candidates"]
        shown = near.among(one["question"], [gold], _of_others(one["article"], titles))
        starts = [0, *accumulate(len(sentence) + 1 for sentence in sentences)]
        places = [{"text": sentences[at], "answer_start": starts[at]} for at in one["answers"]]
        yield {
            "id": one["id"],
            "query": one["question"],
            "documents": _documents(shown, titles),
            "evidence": _evidence(gold, shown.index(gold), places, "answer_sentence"),
        }


def _lacks(answers: Sequence[str]) -> Callable[[str], bool]:
    return lambda text: not any(said in text for said in answers)


def _of_others(article: str, titles: Mapping[str, str]) -> Callable[[str], bool]:
    return lambda text: titles[text] != article


def _documents(texts: Sequence[str], titles: Mapping[str, str]) -> list[Row]:
    return [{"id": str(at), "title": titles[text], "text": text} for at, text in enumerate(texts)]


def _qed_answers(one: Row) -> list[str]:
    return [answer["string"] for answers in one["original_nq_answers"] for answer in answers]


def _scitldr(sources: Sequence[bytes]) -> Iterator[Row]:
    """Abstracts by sentences, and what their authors and readers said in one."""
    every = ({**one, "id": one["paper_id"]} for one in _lines(sources[0]))
    for one in _chosen(every):
        yield {"id": one["id"], "sentences": one["source"], "references": one["target"]}


_LANGUAGES = ("en", "es", "ar", "hi", "zh")
_XQUAD = f"{_GITHUB}/google-deepmind/xquad/master/xquad."

_PACKAGES = (
    Source(
        f"{_INDEX}/6b/5c/685e6633917e101e5dcb62b9dd76946cbb57c26e133bae9e0cd36033c0a9/attrs-25.4.0.tar.gz",
        934_251,
        "16d5969b87f0859ef33a48b35d55ac1be6e42ae49d5e853b597db70c35c57e11",
    ),
    Source(
        f"{_INDEX}/46/61/de6cd827efad202d7057d93e0fed9294b96952e188f7384832791c7b2254/click-8.3.0.tar.gz",
        276_943,
        "e7b8232224eba16f4ebe410c25ced9f7875cb5f3263ffc93cc3e8da705e229c4",
    ),
    Source(
        f"{_INDEX}/dc/6d/cfe3c0fcc5e477df242b98bfe186a4c34357b4847e87ecaef04507332dab/flask-3.1.2.tar.gz",
        720_160,
        "bf656c15c80190ed628ad08cdfd3aaa35beb087855e2f494910aa3774cc4fd87",
    ),
    Source(
        f"{_INDEX}/df/bf/f7da0350254c0ed7c72f3e33cef02e048281fec7ecec5f032d4aac52226b/jinja2-3.1.6.tar.gz",
        245_115,
        "0137fb05990d35f1275a587e9aee6d56da821fc83491a0fb838183be43f66d6d",
    ),
    Source(
        f"{_INDEX}/9f/69/83029f1f6300c5fb2471d621ab06f6ec6b3324685a2ce0f9777fd4a8b71e/werkzeug-3.1.3.tar.gz",
        806_925,
        "60723ce945c19328679790e3282cc758aa4a6040e4bb330f53d30fa546d44746",
    ),
)

SETS = (
    PublicSet(
        "qa_docs_sections",
        "BSD-3-Clause (Click, Flask, Jinja, Werkzeug), MIT (attrs); derived",
        _PACKAGES,
        lambda sources: iter(_chosen(docs_sections(sources))),
    ),
    PublicSet(
        "qa_code_functions",
        "BSD-3-Clause (Click, Flask, Jinja, Werkzeug), MIT (attrs); derived",
        _PACKAGES,
        lambda sources: iter(_chosen(code_functions(sources))),
    ),
    PublicSet(
        "longdoc_contracts",
        "CC BY 4.0 (CUAD, The Atticus Project)",
        (
            Source(
                "https://github.com/TheAtticusProject/cuad/raw/main/data.zip",
                18_309_308,
                "f8161d18bea4e9c05e78fa6dda61c19c846fb8087ea969c172753bc2f45b999a",
            ),
        ),
        _articles("annotated_clause", "test.json"),
    ),
    PublicSet(
        "longdoc_covidqa",
        "Apache-2.0 (COVID-QA, deepset)",
        (
            Source(
                f"{_GITHUB}/deepset-ai/COVID-QA/master/data/question-answering/COVID-QA.json",
                4_418_117,
                "291abf17f4bc2bd343838fd8ef5debb6278bbbb61b262db1f1bd58048fff76b9",
            ),
        ),
        _articles("answer_span"),
    ),
    PublicSet(
        "qa_hotpotqa_sentences",
        "CC BY-SA 4.0 (HotpotQA)",
        (
            Source(
                "http://curtis.ml.cmu.edu/datasets/hotpot/hotpot_dev_distractor_v1.json",
                46_320_117,
                "4e9ecb5c8d3b719f624d66b60f8d56bf227f03914f5f0753d6fa1b359d7104ea",
            ),
        ),
        _hotpotqa,
    ),
    PublicSet(
        "qa_nq_sentence",
        "no licence named for the annotations (QED, Google); text of Wikipedia, CC BY-SA 3.0",
        (
            Source(
                f"{_GITHUB}/google-research-datasets/QED/master/qed-dev.jsonlines",
                2_244_232,
                "2ea322b71a333023380c3954083b81af2d5670c8ac47ddec58c843233895c429",
            ),
        ),
        _qed,
    ),
    PublicSet(
        "qa_xquad_multilingual",
        "CC BY-SA 4.0 (XQuAD, Google DeepMind)",
        (
            Source(
                f"{_XQUAD}en.json",
                609_383,
                "e4c57d1c9143aaa1c5d265ba5987a65f4e69528d2a98f29d6e75019b10344f29",
            ),
            Source(
                f"{_XQUAD}es.json",
                684_322,
                "dcbae93ec3a9f4b9e78fd834a171d6f96c1a875e10e15b7530b7e4ef4971e37e",
            ),
            Source(
                f"{_XQUAD}ar.json",
                1_582_988,
                "abdabd7afed5c635d99cca0f3f0d0c9d9ed0bc77451e963c2e4e0638c29e486d",
            ),
            Source(
                f"{_XQUAD}hi.json",
                1_680_538,
                "df2cce3532b37e9beb8979704b5c9a4bf874358f105395a298b89427b43b9d24",
            ),
            Source(
                f"{_XQUAD}zh.json",
                808_652,
                "691d0b3359bc6b8faa8de931dfdfe21d50a65861ae348e32a0d1a0190b0c8835",
            ),
        ),
        _xquad,
    ),
    PublicSet(
        "sum_scitldr",
        "Apache-2.0 (SciTLDR, Allen Institute for AI)",
        (
            Source(
                f"{_GITHUB}/allenai/scitldr/master/SciTLDR-Data/SciTLDR-A/test.jsonl",
                1_204_107,
                "fb42dd6cd4f4a1928ae8a01a189456fbfe994a07e938bd49f68653933f6503c9",
            ),
        ),
        _scitldr,
    ),
    PublicSet(
        "selqa",
        "Apache-2.0 (SelQA, Emory NLP); text of Wikipedia, CC BY-SA 3.0",
        (
            Source(
                f"{_GITHUB}/emorynlp/selqa/master/ass/selqa-ass-test.json",
                2_983_123,
                "ca1184d94cc9030883723fab76ef8180b3cf5fb142549a5648d22f59fe7c6fc6",
            ),
        ),
        _selqa,
    ),
)
