"""The compressors measured: queries, latency, the cache, ratios by content type."""
