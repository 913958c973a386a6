"""What is recorded of compressions: read back from the exposition text and from finished spans."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from enum import IntEnum

import pytest
import tersely
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import CollectorRegistry, Counter, generate_latest
from prometheus_client.parser import text_string_to_metric_families
from tersely import metrics
from tersely.options import CompressionOptions
from tersely.retrieval.parts import compress_parts
from tersely.strategies import (
    ContextChunk,
    ExtractiveCompressor,
    HierarchicalCompressor,
    IncrementalCompressor,
    Manager,
)
from tersely.types import Request

TEXT = "The harbour opens at six. Fog is common in March. The ferry needs a permit. Gulls steal chips. " * 20


@pytest.fixture
def registry() -> Iterator[CollectorRegistry]:
    fresh = CollectorRegistry()
    metrics.enable(fresh)
    yield fresh
    metrics.disable()


def exposed(registry: CollectorRegistry, name: str) -> list[tuple[dict[str, str], float]]:
    """(labels, value) of every sample called `name`, from the text that a server would be sent."""
    families = text_string_to_metric_families(generate_latest(registry).decode())
    return [
        (sample.labels, sample.value)
        for family in families
        for sample in family.samples
        if sample.name == name
    ]


def value(registry: CollectorRegistry, name: str) -> float:
    ((_, found),) = exposed(registry, name)
    return found


def test_ratio_histogram_has_ten_linear_buckets(registry: CollectorRegistry) -> None:
    result = tersely.compress(TEXT, budget=60)
    buckets = {labels["le"]: count for labels, count in exposed(registry, "rlm_compression_ratio_bucket")}
    assert list(buckets) == [*(f"0.{step}" for step in range(1, 10)), "1.0", "+Inf"]
    assert buckets == {edge: float(result.ratio <= float(edge)) for edge in buckets}
    assert value(registry, "rlm_compression_ratio_sum") == result.ratio
    for done in range(2, 5):
        tersely.compress(TEXT, budget=60)
        assert value(registry, "rlm_compression_ratio_count") == done


def test_latency_histogram_by_method_has_ten_exponential_buckets(registry: CollectorRegistry) -> None:
    for method in metrics.METHODS:
        metrics.observe(method, 100, 30, 0.03)
    metrics.observe("extractive", 100, 30, 0.002)
    samples = exposed(registry, "rlm_compression_latency_seconds_bucket")
    edges = ["0.01", "0.02", "0.04", "0.08", "0.16", "0.32", "0.64", "1.28", "2.56", "5.12", "+Inf"]
    assert set(metrics.METHODS) == {"extractive", "abstractive", "hybrid", "hierarchical"}
    for method in metrics.METHODS:
        mine = {labels["le"]: count for labels, count in samples if labels["method"] == method}
        quick = method == "extractive"
        assert list(mine.items()) == [(edge, quick + (at > 1)) for at, edge in enumerate(edges)]
    fine = exposed(registry, "tersely_compression_seconds_bucket")
    mine = {float(labels["le"]): count for labels, count in fine if labels["method"] == "extractive"}
    assert (mine[0.001], mine[0.0025]) == (0, 1)


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("rlm_compression_ratio", "histogram", "Compression ratio achieved"),
        ("rlm_compression_latency_seconds", "histogram", "Compression latency by method"),
        ("rlm_compression_tokens_saved", "counter", "Tokens saved through compression"),
        ("rlm_compression_cache_hits", "counter", "Compression cache hits"),
    ],
)
def test_what_is_said_of_each_metric(registry: CollectorRegistry, name: str, kind: str, said: str) -> None:
    families = text_string_to_metric_families(generate_latest(registry).decode())
    assert {family.name: (family.type, family.documentation) for family in families}[name] == (kind, said)


def test_a_call_is_observed_under_its_method_with_its_time(registry: CollectorRegistry) -> None:
    tersely.compress(TEXT, budget=60)
    counts = exposed(registry, "rlm_compression_latency_seconds_count")
    assert {labels["method"]: count for labels, count in counts if count} == {"extractive": 1.0}
    (taken,) = [total for _, total in exposed(registry, "tersely_compression_seconds_sum") if total]
    assert 0 < taken < 10


def test_tokens_saved_never_decrease(registry: CollectorRegistry) -> None:
    name = "rlm_compression_tokens_saved_total"
    metrics.observe("hybrid", 100, 30, 0.001)
    assert value(registry, name) == 70
    metrics.observe("hybrid", 30, 100, 0.001)  # growth counts 0
    assert value(registry, name) == 70
    metrics.observe("hybrid", 0, 0, 0.001)
    assert value(registry, name) == 70
    result = tersely.compress(TEXT, budget=60)
    assert value(registry, name) == 70 + result.original_tokens - result.tokens
    assert value(registry, "tersely_input_tokens_total") == 130 + result.original_tokens
    assert value(registry, "tersely_output_tokens_total") == 130 + result.tokens


def test_a_cache_hit_counts_as_a_hit_and_as_nothing_else(registry: CollectorRegistry) -> None:
    metrics.observe("extractive", 100, 30, 0.001)
    metrics.observe("extractive", 100, 30, 0.001, cache_hit=True)
    assert value(registry, "rlm_compression_cache_hits_total") == 1
    assert value(registry, "rlm_compression_ratio_count") == 1
    assert value(registry, "rlm_compression_tokens_saved_total") == 70


def test_nothing_is_recorded_when_off(registry: CollectorRegistry) -> None:
    metrics.disable()
    assert not metrics.enabled()
    tersely.compress(TEXT, budget=60)
    metrics.observe("extractive", 100, 30, 0.001, cache_hit=True)
    assert value(registry, "rlm_compression_ratio_count") == 0
    assert value(registry, "rlm_compression_cache_hits_total") == 0


def test_a_failed_call_is_not_an_observation(registry: CollectorRegistry) -> None:
    with pytest.raises(tersely.BudgetExceededError):
        tersely.compress(TEXT, budget=0)
    assert value(registry, "rlm_compression_ratio_count") == 0


def test_a_registry_that_was_enabled_before_goes_on_counting(registry: CollectorRegistry) -> None:
    metrics.observe("extractive", 100, 30, 0.001)
    metrics.disable()
    metrics.enable(registry)
    metrics.observe("extractive", 100, 30, 0.001)
    assert value(registry, "rlm_compression_tokens_saved_total") == 140


def test_somebody_elses_metric_of_the_same_name_is_an_error() -> None:
    taken = CollectorRegistry()
    Counter("rlm_compression_cache_hits_total", "theirs", registry=taken)
    with pytest.raises(ValueError, match="Duplicated timeseries"):
        metrics.enable(taken)
    assert not metrics.enabled()


def test_threads_lose_no_count(registry: CollectorRegistry) -> None:
    def work() -> None:
        for _ in range(500):
            metrics.observe("extractive", 10, 3, 0.001)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert value(registry, "rlm_compression_ratio_count") == 4000
    assert value(registry, "rlm_compression_tokens_saved_total") == 28_000
    tersely.compress_batch([TEXT] * 16, budget=60, threads=4)
    assert value(registry, "rlm_compression_ratio_count") == 4016


def test_spans_say_how_much_and_nothing_of_the_text() -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("test")
    metrics.enable(CollectorRegistry(), tracer)
    try:
        with tracer.start_as_current_span("request") as parent:
            result = tersely.compress(TEXT, "When does the harbour open?", budget=60)
    finally:
        metrics.disable()
    span, request = exporter.get_finished_spans()
    assert span.name == "tersely.compress"
    assert span.attributes == {
        "tersely.method": "extractive",
        "tersely.original_tokens": result.original_tokens,
        "tersely.tokens": result.tokens,
        "tersely.ratio": result.ratio,
        "tersely.cache_hit": False,
    }
    assert span.parent is not None
    assert span.parent.span_id == parent.get_span_context().span_id
    assert _lies_within(span, request)
    assert not {"harbour", "ferry", "open"} & set(span.to_json().casefold().replace('"', " ").split())


def _lies_within(span: ReadableSpan, other: ReadableSpan) -> bool:
    assert span.start_time and span.end_time and other.start_time and other.end_time
    return other.start_time <= span.start_time < span.end_time <= other.end_time


def methods(registry: CollectorRegistry) -> dict[str, float]:
    counts = exposed(registry, "rlm_compression_latency_seconds_count")
    return {labels["method"]: count for labels, count in counts if count}


def test_compressors_are_observed_once_a_text(registry: CollectorRegistry) -> None:
    options = CompressionOptions(target_tokens=60, min_tokens=0)
    made = ExtractiveCompressor().compress(TEXT, options)
    assert methods(registry) == {"extractive": 1}
    assert value(registry, "rlm_compression_ratio_sum") == made.compression_ratio
    ExtractiveCompressor().compress_batch([TEXT] * 3, options)
    assert methods(registry) == {"extractive": 4}
    levels = HierarchicalCompressor().compress(TEXT, options).levels
    assert methods(registry) == {"extractive": 4, "hierarchical": 1}
    saved = value(registry, "tersely_input_tokens_total") - value(registry, "tersely_output_tokens_total")
    assert saved == value(registry, "rlm_compression_tokens_saved_total")
    assert levels[0].token_count < made.original.token_count
    tersely.compress(TEXT, budget=60, strategy=ExtractiveCompressor())
    tersely.compress(TEXT, budget=60, strategy="hierarchical")
    assert methods(registry) == {"extractive": 5, "hierarchical": 2}


def test_the_same_request_twice_is_one_hit(registry: CollectorRegistry) -> None:
    manager = Manager()
    chunks = [ContextChunk("one", TEXT)]
    first = manager.prepare_context(chunks, "fog", 60)
    assert value(registry, "rlm_compression_cache_hits_total") == 0
    assert manager.prepare_context(chunks, "fog", 60).text == first.text
    assert value(registry, "rlm_compression_cache_hits_total") == 1 == manager.cache.hits
    manager.prepare_context(chunks, "gulls", 60)
    assert value(registry, "rlm_compression_cache_hits_total") == 1
    assert (
        value(registry, "rlm_compression_ratio_count") == 3
    )  # what was read is kept; each call chooses anew


def test_a_text_that_did_not_change_is_a_hit(registry: CollectorRegistry) -> None:
    compressor = IncrementalCompressor()
    for text in (TEXT, TEXT, TEXT + "The end."):
        compressor.update("one", text)
    assert value(registry, "rlm_compression_cache_hits_total") == 1
    assert value(registry, "rlm_compression_ratio_count") == 2


class Named:
    def __init__(self, method: object) -> None:
        self.method = method

    def compress(self, request: Request) -> tersely.Compressed:
        return tersely.Extractive().compress(request)


class Method(IntEnum):
    HYBRID = 2
    ODD = 9


@pytest.mark.parametrize(
    ("method", "label"), [(Method.HYBRID, "hybrid"), (Method.ODD, "extractive"), ("x", "extractive")]
)
def test_the_label_is_one_of_four(registry: CollectorRegistry, method: object, label: str) -> None:
    tersely.compress(TEXT, budget=60, strategy=Named(method))
    counts = exposed(registry, "rlm_compression_latency_seconds_count")
    assert {labels["method"] for labels, count in counts if count} == {label}


def test_an_unknown_method_is_an_error(registry: CollectorRegistry) -> None:
    with pytest.raises(ValueError, match=r"method must be one of extractive, .* not 'magic'"):
        metrics.observe("magic", 1, 1, 0.1)


def test_without_the_extra_enabling_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['prometheus_client'] = None\n"
        "import tersely.metrics\n"
        "try: tersely.metrics.enable()\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'tersely[metrics]'" in done.stdout


def test_contextual_compression_is_counted(registry: CollectorRegistry) -> None:
    from tersely.retrieval import CompressionConfig, ContextualCompressor

    compressor = ContextualCompressor(config=CompressionConfig(token_budget=100))
    result = compressor.compress_sync([TEXT], "When does the harbour open?")
    assert value(registry, "tersely_input_tokens_total") == result.original_token_count
    assert value(registry, "tersely_output_tokens_total") == result.compressed_token_count
    calls = {labels["method"]: n for labels, n in exposed(registry, "tersely_compression_seconds_count")}
    assert calls["extractive"] == 1
    compressor.compress_sync([TEXT], "When does the harbour open?")
    assert value(registry, "rlm_compression_cache_hits_total") == 1


def test_originals_that_were_given_back_are_counted_by_reason(registry: CollectorRegistry) -> None:
    def fails(text: str) -> int:
        raise OSError("the tokenizer is gone")

    compress_parts("Some text.", budget=1, counter=fails)
    compress_parts("Some text. " * 9, budget=1, timeout=1e-9)
    compress_parts("Some text.", budget=9)
    for reason in ("error", "timeout"):
        assert registry.get_sample_value("tersely_compression_failures_total", {"reason": reason}) == 1
