"""The native border. Arrays are C-contiguous and one-dimensional; a lone surrogate is read as U+FFFD."""

from collections.abc import Callable, Sequence
from mmap import mmap
from typing import Any, Never, TypeAlias, final

import numpy as np
import numpy.typing as npt

_Int32s: TypeAlias = npt.NDArray[np.int32]
_Int64s: TypeAlias = npt.NDArray[np.int64]
_UInt8s: TypeAlias = npt.NDArray[np.uint8]
_Bools: TypeAlias = npt.NDArray[np.bool_]
_UInt64s: TypeAlias = npt.NDArray[np.uint64]
_Float32s: TypeAlias = npt.NDArray[np.float32]
_Float64s: TypeAlias = npt.NDArray[np.float64]
# (rows, columns), float16, float32 or float64, any strides
_Matrix: TypeAlias = npt.NDArray[np.floating[Any]]
_Progress: TypeAlias = Callable[[float], object]
# document, start, end, kind, block, heading: the columns of a SegmentTable
_Table: TypeAlias = tuple[_Int32s, _Int64s, _Int64s, _UInt8s, _Int32s, _Int32s]
# term_ids, term_offsets, term_class; document, block, heading of each segment
_Terms: TypeAlias = tuple[_Int32s, _Int64s, _UInt8s, _Int32s, _Int32s, _Int32s]
# query_row, title_rows, answer, cosine (or what it is made of, with the document of each segment), start, end
_Asked: TypeAlias = tuple[
    int, _Int64s, int, _Float32s | tuple[StaticTable, str, Sequence[str], _Int32s], _Int64s, _Int64s
]
# text, part of each document, places of what is no source's, codes, tokens, texts that were counted up to it
_Trial: TypeAlias = tuple[str, tuple[str, ...], _Int64s, _UInt8s, int, int]

__version__: str
WIDEST_GAP: int  # characters of white space between two kept neighbours that are written as they are
LONG_BLOCK: int  # bytes from which a block of JSON in a text is read as what it is

def isa() -> str: ...
def set_deadline(deadline: Deadline | None) -> None: ...  # of this thread's native calls: TimeoutError
def segment(
    texts: Sequence[str] | Utf8, level: int, window: int, piece: int = 0, whole: bool = False
) -> _Table: ...

@final
class Deadline:  # in so many seconds, or now once any thread says `end`
    def __init__(self, seconds: float) -> None: ...
    def end(self) -> None: ...

@final
class Utf8:  # of texts, for any number of calls
    def __init__(self, texts: list[str]) -> None: ...

def analyze(
    texts: Sequence[str] | Utf8,
    extras: list[str],
    level: int,
    window: int,
    piece: int = 0,
    whole: bool = False,
) -> tuple[_Table, _Int32s, _Int64s, _UInt8s, _Float32s]: ...  # ids, offsets, classes, weights of terms
def join_tables(parts: list[tuple[_Table, int, int]]) -> _Table: ...  # columns, document, characters
def detect(
    texts: Sequence[str] | Utf8,
) -> list[tuple[int, int, float, int]]: ...  # kind, language, confidence; the settled kind, or -1
def settled_kind(text: str, kind: int, language: int, confidence: float) -> int: ...
def may_be_data(text: str) -> bool: ...
def json_blocks(text: str) -> list[tuple[int, int]]: ...  # start, end
def holds_blocks(
    texts: Sequence[str] | Utf8,
) -> list[bool | None]: ...  # of JSON; None: none, but marks of fences
def html_texts(texts: list[str]) -> tuple[_Int64s, _Int64s, _UInt8s, _UInt8s]: ...  # start, end, glue, aside
def table_rows(
    texts: list[str], delimiter: str, header: bool
) -> tuple[
    str, _Int64s, _Int64s, _UInt8s, _Int32s, _Float32s
]: ...  # delimiter, start, end, role, head, standing
def occurrences(
    texts: Sequence[str] | Utf8, strings: list[str], every: bool = False, alone: bool = False
) -> tuple[_Int32s, _Int32s, _Int64s, _Int64s]: ...  # string, text, start, end
def negations() -> list[str]: ...
def terms(texts: list[str]) -> tuple[_Int32s, _Int64s, list[str]]: ...
def unit_terms(
    texts: Sequence[str] | Utf8, document: _Int32s, start: _Int64s, end: _Int64s, extras: list[str]
) -> tuple[_Int32s, _Int64s, _UInt8s, _Float32s]: ...  # ids, offsets, classes, weights of terms
def read_terms(texts: list[str]) -> tuple[_Int32s, _Int64s, _UInt8s]: ...  # ids, offsets, class of each term
def relevance(
    terms: _Terms,
    asked: _Asked,
    weights: _Float64s,
    forest: tuple[Any, ...],  # tersely.models.weights.Forest
    features: _Float32s | None,
) -> tuple[_Float32s, _Float32s, _Float32s, bool, float, _Float32s]: ...  # see Asked.scores; the cosines
def relevance_columns(terms: _Terms, asked: _Asked, weights: _Float64s) -> _Float32s: ...

# csrc/kernels/relevance/standing.hpp
def worth_beside(
    document: _Int32s,
    start: _Int64s,
    end: _Int64s,
    first: _Int64s,
    last: _Int64s,
    regions: _Int64s,  # (first, last, form) of each
    own: _Float32s,
    essential: _UInt8s,
    ordered: _UInt8s,
    bulk: _UInt8s,
    follows: _Int32s,
    text_worth: _Float32s | _Terms,
    relevance: _Float32s,
) -> tuple[_Float32s, int]: ...  # worth, and the best unit if it is pasted, or -1
def terms_of_units(
    term_ids: _Int32s, term_offsets: _Int64s, segment: _Int64s, chosen: _Bools
) -> tuple[_Int32s, _Int64s]: ...
def pulled_to_documents(worth: _Float32s, document: _Int32s, wanted: _UInt8s) -> _Float32s: ...
def led_to(table: _Table, scores: _Float32s, texts: Sequence[str]) -> _Float32s: ...
def topic(
    terms: _Terms, query_row: int, title_rows: _Int64s, cosine: _Float32s, segments: bool
) -> tuple[_Float64s, _Float64s, _Int32s]: ...  # of documents, of segments, numbers of segments and terms
def centrality(terms: _Terms) -> _Float32s: ...
def inverse_frequency(terms: _Terms) -> _Float32s: ...

@final
class Choice:  # csrc/kernels/select/budgeted.hpp: Problem, Rules, Choice
    def __init__(
        self,
        *,
        score: _Float32s,
        cost: _Int64s,
        document: _Int32s,
        pinned: _UInt8s | None = None,
        group: _Int32s | None = None,
        heading: _Int32s | None = None,
        term_ids: _Int32s | None = None,
        term_offsets: _Int64s | None = None,
        term_weight: _Float32s | None = None,
        redundancy: float = 0.0,
        context: int = 0,
        coverage: bool = False,
        ranked: bool = False,
        cap: _Int64s | None = None,
        same: _Int32s | None = None,
        kind: _UInt8s | None = None,
        above: _Int32s | None = None,
        price: _Int64s | None = None,
        gist: _Float32s | None = None,
        gist_room: int = 0,
        essential: _UInt8s | None = None,
        auxiliary: _UInt8s | None = None,
        leading: _Int64s | None = None,
        leading_share: float = 0.0,
        fences: _Int64s | None = None,
        fill: bool = False,
        start: _Int64s | None = None,
        end: _Int64s | None = None,
        bare: _Int64s | None = None,
        head_cost: _Int64s | None = None,
        head_above: _Int32s | None = None,
        head_of: _Int32s | None = None,
        layout: Layout | None = None,  # writes what is chosen
        counter: TokenTable
        | Callable[[str, tuple[str, ...]], int]
        | None = None,  # of the text and its parts
        original: int = 0,  # tokens of all units
    ) -> None: ...
    @property
    def recounts(self) -> int: ...  # texts counted
    # csrc/kernels/write/fitting.hpp; `floors`: what is held for a target beside the pins
    def attempt(self, status: _UInt8s, wording: int = 0) -> _Trial | None: ...
    def search(
        self,
        budget: int,
        target: int,
        high: int,
        estimated: bool,
        wording: int,
        floors: Callable[[int], _UInt8s] | None = None,
        preserve: Callable[[_UInt8s, int], _UInt8s] | None = None,
    ) -> _Trial | None: ...
    def select(self, budget: int) -> _UInt8s: ...
    def choose(
        self,
        target: int,
        held: _UInt8s | None = None,
        preserve: Callable[[_UInt8s, int], _UInt8s] | None = None,
    ) -> tuple[_UInt8s, int, int]: ...  # tokens of what is kept, of the cheapest new unit left out (-1: none)
    def only(self, held: _UInt8s) -> _UInt8s: ...
    def fill_gaps(self, status: _UInt8s) -> _UInt8s: ...
    def leave_unneeded_out(self, status: _UInt8s) -> _UInt8s: ...

def first_equal(  # csrc/kernels/select/budgeted.hpp; empty where all differ
    texts: Sequence[str] | Utf8,
    document: _Int32s,
    start: _Int64s,
    end: _Int64s,
    kind: _UInt8s,
    placed: _UInt8s,  # by kind: compared with none
    alone: _UInt8s,  # by unit, or empty
) -> _Int32s: ...
def find_codes(
    texts: Sequence[str] | Utf8, document: _Int32s, start: _Int64s
) -> tuple[_Int32s, _Int64s, _Int64s, _Int32s, int]: ...  # document, start, end, key, keys
def have_letters(texts: Sequence[str] | Utf8) -> _UInt8s: ...
def slices(texts: Sequence[str], document: _Int32s, start: _Int64s, end: _Int64s) -> list[str]: ...
def rows_at(documents: _Int32s, starts: _Int64s, document: _Int32s, at: _Int64s) -> _Int32s: ...
def find_facts(
    texts: list[str],
    document: _Int32s,
    start: _Int64s,
    end: _Int64s,
    kind: _UInt8s,
    block: _Int32s,
) -> tuple[_UInt8s, _Int32s, _Int64s, _Int64s, _Int32s, _Int32s, _Int32s, int, _Float32s]: ...
def importance(  # engine/worth.py
    texts: Sequence[str] | Utf8, start: _Int64s, end: _Int64s, kind: _UInt8s, terms: _Terms
) -> tuple[_Float32s, _Float32s, _Float32s]: ...
def weights_in_text(kind: _UInt8s, segment: _Int32s, weight: _Float32s, segments: int) -> _Float32s: ...
def fact_keys(kind: _UInt8s, texts: list[str]) -> list[bytes]: ...
def cosine_similarity(
    x: _Matrix, y: _Matrix | None, out: _Float32s, threads: int, progress: _Progress | None
) -> None: ...
def cosine_pairs(
    x: _Matrix, threshold: float, max_pairs: int, threads: int, progress: _Progress | None
) -> tuple[_Int32s, _Int32s, _Float32s]: ...
def has_pair(x: _Matrix, threshold: float, threads: int) -> _UInt8s: ...
def threshold_clusters(
    x: _Matrix,
    threshold: float,
    scores: _Float64s,
    single: bool,
    threads: int,
    progress: _Progress | None,
) -> tuple[_Int32s, _Int32s, _Int32s]: ...

# items, gains, value, cost, upper bound
_Chosen: TypeAlias = tuple[_Int32s, _Float64s, float, float, float]

def knapsack(values: _Float64s, costs: _Float64s, budget: float, pinned: _Int32s) -> _Chosen: ...
def marginal_relevance(
    x: _Matrix,
    relevance: _Float64s,
    count: int,
    weight: float,
    pinned: _Int32s,
    threads: int,
    progress: _Progress | None,
) -> _Chosen: ...
def facility_location(
    x: _Matrix,
    weights: _Float64s,
    costs: _Float64s,
    budget: float,
    pinned: _Int32s,
    neighbors: int,
    threads: int,
    progress: _Progress | None,
) -> _Chosen: ...
def check_pairs(x: _Matrix, i: _Int32s, j: _Int32s, threshold: float, threads: int) -> _Float32s: ...
def join_found(
    rows: _Int32s,
    limits: _Int64s,
    found: _Int32s,
    similarity: _Float32s,
    labels: _Int32s,
    representatives: _Int32s,
    clusters: int,
) -> int: ...
def guards(
    texts: list[str],
) -> tuple[
    _Int32s, list[str], _Int32s, _Int64s, _Int32s, _Int64s, _UInt64s
]: ...  # id, by id; terms; names; a digest of each term
def agreeing(
    guard: _Int32s,
    terms: _Int32s,
    term_offsets: _Int64s,
    names: _Int32s,
    name_offsets: _Int64s,
    share: float,
    order: float,
) -> _Int32s: ...
def deduplicate(
    x: _Matrix,
    threshold: float,
    scores: _Float64s,
    guard: _Int32s,
    terms: _Int32s,
    term_offsets: _Int64s,
    names: _Int32s,
    name_offsets: _Int64s,
    share: float,
    order: float,
    threads: int,
    progress: _Progress | None,
) -> tuple[_Int32s, _Int32s, _Int32s]: ...

# document, start, end, kind (tree.hpp), parent, place, count, priority, record, own (tree_rank.hpp);
# fault of each text
def tree_units(
    texts: list[str],
    query: str,  # "": none
    syntax: int,  # 0: JSON, 1: XML, 2: YAML
) -> tuple[
    _Int32s, _Int64s, _Int64s, _UInt8s, _Int32s, _Int32s, _Int32s, _Float64s, _UInt8s, _Int64s, _UInt8s
]: ...
def is_laid_out(text: str, syntax: int) -> bool: ...

# csrc/kernels/content/code_units.hpp: start, end, first, last, parent, follows, role, suite, inside, priority
_CodeUnits: TypeAlias = tuple[
    _Int64s, _Int64s, _Int32s, _Int32s, _Int32s, _Int32s, _UInt8s, _Int32s, _UInt8s, _Float64s
]

# None where `only_sure` and the reader is not (csrc/kernels/content/code_read.hpp)
def code_units(
    text: str, language: str, query: str, only_sure: bool, piece: int = 0
) -> _CodeUnits | None: ...
def is_python(text: str) -> bool: ...
def rarity(texts: list[str]) -> _Float64s: ...  # csrc/kernels/content/rarity.hpp
def code_units_of(
    text: str,
    language: str,
    query: str,
    body_starts: _Int64s,  # bytes, as all of them
    body_ends: _Int64s,
    starts: _Int64s,  # of statements
    ends: _Int64s,
    glued: _Int64s,
    piece: int = 0,
) -> _CodeUnits: ...

class RunMarker:
    """Writes what stands in the place of a run of rows; immutable."""

    def __init__(self, *args: Never, **kwargs: Never) -> None: ...  # functions make it
    def __call__(self, first: int, last: int) -> str: ...

@final
class CodeMarker(RunMarker):
    """Marks left out code."""

    def __init__(self, marker: CodeMarker) -> None: ...

@final
class TreeMarker(RunMarker):
    """Counts left out values."""

    def numbers(self) -> TreeMarker: ...  # without words
    def total(self, kept: _Int64s) -> TreeMarker: ...  # once in a container, at its end

@final
class LineMarker(RunMarker):
    """Counts left out lines."""

    def total(self, kept: _Int64s) -> LineMarker: ...  # of a document, once, in the last place

# `earlier`: lines that were left out before beside a row; `lines`: of all documents, -1: each has a row
def line_marker(
    document: _Int32s, line: _Int64s, earlier: _Int64s, continued: _Bools, lines: int
) -> LineMarker: ...
def tree_marker(
    document: _Int32s,
    start: _Int64s,
    end: _Int64s,
    kind: _UInt8s,
    parent: _Int32s,
    place: _Int32s,
    count: _Int32s,
    own: _Int64s,
    record: _UInt8s,
) -> TreeMarker: ...

# Markers that say everything, less, and no more than the language asks for.
def code_markers(
    document: _Int32s,
    first: _Int32s,  # lines
    last: _Int32s,
    suite: _Int32s,
    inside: _UInt8s,
    role: _UInt8s,
    stand_in: list[str],  # of each document, as the following
    opens: list[str],
    closes: list[str],
) -> tuple[CodeMarker, CodeMarker, CodeMarker]: ...

# Tokens of units by their length; `gap`: of white space before one, `marker`: of one that others need
def estimated_costs(
    start: _Int64s, end: _Int64s, heading: _Int32s, density: float, gap: float, marker: float
) -> _Int64s: ...

@final
class Layout:
    """Writes kept rows as a text (csrc/kernels/write/layout.hpp); immutable."""

    def __init__(
        self,
        texts: list[str],
        table: _Table,
        regions: tuple[Any, ...],  # engine/reading.py; (): all is text
        separator: str,
        within: str | None = None,  # between pieces of one document; None: the separator
        clauses: bool = False,
        pieces: bool = False,  # of lines
    ) -> None: ...
    # `kept`: rows, or a code each. The text, the part of each document, where it is no source's
    def write(self, kept: _UInt8s | _Int64s, wording: int = 0) -> tuple[str, tuple[str, ...], _Int64s]: ...

def held_together(group: _Int32s, follows: _Int32s) -> _Int32s: ...  # the lowest row of each, -1: alone
def unite(parent: _Int32s, i: _Int32s, j: _Int32s) -> None: ...

@final
class TokenMarks:
    """Where the pieces of texts end, and their tokens up to there (csrc/kernels/tokens/count.hpp)."""

    def __init__(self, marks: TokenMarks) -> None: ...
    def __len__(self) -> int: ...  # texts

@final
class TokenTable:
    """A table of tokens (csrc/kernels/tokens/count.hpp) over the bytes of its file, which it keeps."""

    def __init__(self, file: bytes | mmap) -> None: ...  # ValueError where they are no such table
    def count(self, texts: Sequence[str] | Utf8) -> _Int64s: ...
    def count_one(self, text: str) -> int: ...
    # of the texts with the separator between them; no marks are kept of more than 64 MB
    def count_joined(self, texts: Sequence[str] | Utf8, separator: str) -> tuple[int, TokenMarks]: ...
    # of texts[document][start:end], row by row; marks: of the same `texts`
    def count_spans(
        self,
        texts: Sequence[str] | Utf8,
        document: _Int32s,
        start: _Int64s,
        end: _Int64s,
        marks: TokenMarks | None = None,
    ) -> _Int64s: ...
    def __len__(self) -> int: ...

@final
class StaticTable:
    # words: one a line, UTF-8; rows: (words, dimensions / 2), two values a byte; scales: (words,)
    def __init__(self, words: bytes, rows: _UInt8s, scales: _Float32s) -> None: ...
    def ids(self, text: str) -> _Int32s: ...
    def embed(self, texts: list[str]) -> _Float32s: ...  # (texts, dimensions), rows of length one or zero
    def similarity(self, query: str, texts: list[str]) -> _Float32s: ...  # a cosine each text
    # of texts[document][start:end], row by row
    def similarity_spans(
        self, query: str, texts: Sequence[str] | Utf8, document: _Int32s, start: _Int64s, end: _Int64s
    ) -> _Float32s: ...
    @property
    def dimensions(self) -> int: ...
    def __len__(self) -> int: ...

# document, start, end, line, template, marks, variant, copies, query words, stands for, finding,
# series, margin, odd
_Rows: TypeAlias = tuple[
    _Int32s,
    _Int64s,
    _Int64s,
    _Int64s,
    _Int32s,
    npt.NDArray[np.uint32],
    _Int32s,
    _Int32s,
    npt.NDArray[np.uint64],
    _Int64s,
    _Int32s,
    _Int32s,
    _Int32s,
    _Float32s,
]

def lined(texts: Sequence[str] | Utf8) -> npt.NDArray[np.uint8]: ...  # csrc/kernels/content/line_reader.hpp

# csrc/kernels/content/line_grades.hpp
@final
class GradedLines:
    """Columns of lines that grades are read from; immutable."""

    def __init__(self, lines: tuple[Any, ...]) -> None: ...  # LineTable.graded says which

def places_of_lines(lines: GradedLines) -> _Int64s: ...
def outcome_grades(lines: GradedLines) -> _Float32s: ...
def report_grades(lines: GradedLines) -> _Float32s: ...
def line_worth(  # worth; 1: fails, 2: is new; needs; 1: is in a list: both empty unless arranged
    grade: _Float32s,
    asked: _Float32s,
    lines: GradedLines,
    context: int,
    arranged: bool,
) -> tuple[_Float32s, _UInt8s, _Int32s, _UInt8s]: ...
def repeated_traces(grade: _Float32s, lines: GradedLines) -> tuple[_Int32s, _Int64s]: ...  # told, times
def grades_of_units(  # empty: no line says anything
    texts: Sequence[str] | Utf8, document: _Int32s, start: _Int64s, end: _Int64s, graded: _UInt8s, most: int
) -> _Float32s: ...

@final
class LineReader:  # csrc/kernels/content/line_reader.hpp
    def __init__(self, query: str, most_rows: int) -> None: ...
    def read(self, text: str) -> None: ...  # a document; its rows are in characters
    def append(self, data: bytes | memoryview, last: bool) -> None: ...  # of a document in bytes
    def rows(self) -> _Rows: ...
    def templates(self) -> _Int64s: ...  # lines of each template
    def forms(self) -> _UInt64s: ...  # of each template, a hash
    def stamps(self, template: int) -> tuple[str, str]: ...  # its first and last time stamp
    def variants(self) -> _Int64s: ...  # lines of each variant
    def findings(self) -> _Int64s: ...  # lines of each finding
    def series(self) -> _Int64s: ...  # lines of each series
    def asked(self) -> _Int64s: ...  # lines that have each query word
    @property
    def id_words(self) -> int: ...  # bits of the query words that are ids
    @property
    def let_go(self) -> bool: ...  # whether there were more than most_rows
    @property
    def lines(self) -> int: ...
