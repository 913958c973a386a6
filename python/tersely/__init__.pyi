from tersely import kernels as kernels
from tersely._native import __version__ as __version__
from tersely.content.detect import detect as detect
from tersely.engine.api import (
    acompress as acompress,
)
from tersely.engine.api import (
    check_facts as check_facts,
)
from tersely.engine.api import (
    compress as compress,
)
from tersely.engine.api import (
    compress_batch as compress_batch,
)
from tersely.engine.api import (
    dedup as dedup,
)
from tersely.engine.api import (
    find_facts as find_facts,
)
from tersely.engine.api import (
    guard_keys as guard_keys,
)
from tersely.engine.api import (
    prepare as prepare,
)
from tersely.engine.api import (
    segment as segment,
)
from tersely.engine.strategies import Extractive as Extractive
from tersely.errors import (
    BudgetExceededError as BudgetExceededError,
)
from tersely.errors import (
    CompressionError as CompressionError,
)
from tersely.errors import (
    MissingExtraError as MissingExtraError,
)
from tersely.errors import (
    ModelReplyError as ModelReplyError,
)
from tersely.errors import (
    NotReversibleError as NotReversibleError,
)
from tersely.errors import (
    RelevanceScoringError as RelevanceScoringError,
)
from tersely.errors import (
    StoreError as StoreError,
)
from tersely.errors import (
    SummarizationError as SummarizationError,
)
from tersely.errors import (
    UnknownIdError as UnknownIdError,
)
from tersely.errors import (
    VersionConflictError as VersionConflictError,
)
from tersely.models.static import StaticEmbedder as StaticEmbedder
from tersely.protocols import (
    BatchTokenCounter as BatchTokenCounter,
)
from tersely.protocols import (
    CrossEncoder as CrossEncoder,
)
from tersely.protocols import (
    Embedder as Embedder,
)
from tersely.protocols import (
    LanguageModel as LanguageModel,
)
from tersely.protocols import (
    Strategy as Strategy,
)
from tersely.protocols import (
    TokenCounter as TokenCounter,
)
from tersely.types import (
    Compressed as Compressed,
)
from tersely.types import (
    Deduplicated as Deduplicated,
)
from tersely.types import (
    Detection as Detection,
)
from tersely.types import (
    Document as Document,
)
from tersely.types import (
    Fact as Fact,
)
from tersely.types import (
    FactKind as FactKind,
)
from tersely.types import (
    FactReport as FactReport,
)
from tersely.types import (
    Kind as Kind,
)
from tersely.types import (
    Level as Level,
)
from tersely.types import (
    Receipt as Receipt,
)
from tersely.types import (
    SegmentTable as SegmentTable,
)
from tersely.types import (
    Span as Span,
)
