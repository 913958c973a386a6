from tersely import kernels as kernels
from tersely._native import __version__ as __version__
from tersely.content.detect import detect as detect
from tersely.engine.api import (
    acompress as acompress,
    check_facts as check_facts,
    compress as compress,
    compress_batch as compress_batch,
    dedup as dedup,
    find_facts as find_facts,
    guard_keys as guard_keys,
    prepare as prepare,
    segment as segment,
)
from tersely.engine.strategies import Extractive as Extractive
from tersely.errors import (
    BudgetExceededError as BudgetExceededError,
    CompressionError as CompressionError,
    NotReversibleError as NotReversibleError,
    RelevanceScoringError as RelevanceScoringError,
    SummarizationError as SummarizationError,
)
from tersely.models.static import StaticEmbedder as StaticEmbedder
from tersely.protocols import (
    CrossEncoder as CrossEncoder,
    Embedder as Embedder,
    LanguageModel as LanguageModel,
    Strategy as Strategy,
    TokenCounter as TokenCounter,
)
from tersely.types import Compressed as Compressed, Document as Document, Kind as Kind
