"""Prometheus metrics and OpenTelemetry spans of compressions, once they are switched on.

`observe` is called by public functions (`tersely.compress`, the compressors, their caches), never by a
strategy, so that a compression inside another counts once. No part of a text or query is recorded. Needs the
extra `metrics`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from tersely import checks
from tersely.errors import needs

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer
    from prometheus_client import CollectorRegistry, Counter, Histogram

__all__ = ["METHODS", "disable", "enable", "enabled", "observe", "observe_failure"]

METHODS = ("extractive", "abstractive", "hybrid", "hierarchical")
FAILURES = ("error", "timeout", "overloaded")

_RATIOS = tuple(step / 10 for step in range(1, 11))
_SECONDS = tuple(0.01 * 2**step for step in range(10))
_FINE_SECONDS = (1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)


@dataclass(frozen=True, eq=False, slots=True)
class _Meters:
    """One registry's metrics; those with a method by its name."""

    ratio: Histogram
    latency: Mapping[str, Histogram]
    fine_latency: Mapping[str, Histogram]
    saved: Counter
    hits: Counter
    tokens_in: Counter
    tokens_out: Counter
    failures: Mapping[str, Counter]


class _Switch:
    """Where compressions are recorded; None: nowhere."""

    active: tuple[_Meters, Tracer] | None = None


switch = _Switch()
_meters: WeakKeyDictionary[CollectorRegistry, _Meters] = WeakKeyDictionary()  # a registry takes a name once
_lock = threading.Lock()


def enable(registry: CollectorRegistry | None = None, tracer: Tracer | None = None) -> None:
    """Record every compression of this process, in all threads.

    Args:
        registry: where the metrics are registered; None: `prometheus_client.REGISTRY`. If it is enabled
            again, its counters go on.
        tracer: makes the spans "tersely.compress"; None: the global tracer provider's.

    Metrics: `rlm_compression_ratio` (compressed / original tokens), `rlm_compression_latency_seconds` by
    method, `rlm_compression_tokens_saved_total` (a text that grew saves 0),
    `rlm_compression_cache_hits_total`; and `tersely_compression_seconds` by method in finer buckets,
    `tersely_input_tokens_total`, `tersely_output_tokens_total`; and `tersely_compression_failures_total` by
    reason (`FAILURES`), for calls that returned the originals. Methods are those of `METHODS`.

    Raises MissingExtraError without the extra `metrics`, ValueError if the registry has one of the names
    from somebody else.
    """
    with needs("prometheus-client or opentelemetry-api", "metrics"):
        import prometheus_client
        from opentelemetry import trace
    registry = prometheus_client.REGISTRY if registry is None else registry
    with _lock:
        if registry not in _meters:
            _meters[registry] = _register(registry)
        switch.active = _meters[registry], tracer or trace.get_tracer("tersely")


def disable() -> None:
    """Stop recording; the registry keeps the counts."""
    with _lock:
        switch.active = None


def enabled() -> bool:
    """Return whether compressions are recorded."""
    return switch.active is not None


def observe(method: str | Enum, original: int, tokens: int, seconds: float, cache_hit: bool = False) -> None:
    """Record a compression that has just ended, if `enable` was called.

    Args:
        method: one of `METHODS`, or an enum member of such a name.
        original, tokens: its tokens before and after.
        seconds: how long it took.
        cache_hit: the result came from a cache; only the counter of hits grows.

    Raises ValueError for another method. O(1); safe from any thread.
    """
    active = switch.active
    if active is None:
        return
    name = method.name.lower() if isinstance(method, Enum) else method
    checks.one_of(name, "method", METHODS)
    meters, tracer = active
    ratio = tokens / original if original else 1.0
    if cache_hit:
        meters.hits.inc()
    else:
        meters.ratio.observe(ratio)
        meters.latency[name].observe(seconds)
        meters.fine_latency[name].observe(seconds)
        meters.saved.inc(max(original - tokens, 0))
        meters.tokens_in.inc(original)
        meters.tokens_out.inc(tokens)
    end = time.time_ns()
    attributes: dict[str, Any] = {
        "tersely.method": name,
        "tersely.original_tokens": original,
        "tersely.tokens": tokens,
        "tersely.ratio": ratio,
        "tersely.cache_hit": cache_hit,
    }
    start = end - int(seconds * 1e9)
    tracer.start_span("tersely.compress", attributes=attributes, start_time=start).end(end)


def observe_failure(reason: str) -> None:
    """Record that the originals were returned, for one of the reasons in `FAILURES`."""
    checks.one_of(reason, "reason", FAILURES)
    if switch.active is not None:
        switch.active[0].failures[reason].inc()


def _register(registry: CollectorRegistry) -> _Meters:
    from prometheus_client import Counter, Histogram

    def by_method(name: str, text: str, buckets: tuple[float, ...]) -> dict[str, Histogram]:
        family = Histogram(name, text, ["method"], buckets=buckets, registry=registry)
        return {method: family.labels(method) for method in METHODS}

    def counter(name: str, text: str) -> Counter:
        return Counter(name, text, registry=registry)

    latency = "Compression latency by method"
    failures = Counter(
        "tersely_compression_failures_total", "Originals given back", ["reason"], registry=registry
    )
    return _Meters(
        Histogram("rlm_compression_ratio", "Compression ratio achieved", buckets=_RATIOS, registry=registry),
        by_method("rlm_compression_latency_seconds", latency, _SECONDS),
        by_method("tersely_compression_seconds", f"{latency}, in finer buckets", _FINE_SECONDS),
        counter("rlm_compression_tokens_saved_total", "Tokens saved through compression"),
        counter("rlm_compression_cache_hits_total", "Compression cache hits"),
        counter("tersely_input_tokens_total", "Tokens given to compressions"),
        counter("tersely_output_tokens_total", "Tokens that compressions gave back"),
        {reason: failures.labels(reason) for reason in FAILURES},
    )
