"""Compress a log file of any size."""

from tersely.core.lazy import load_late

__getattr__, __dir__ = load_late(__name__, {"tersely.engine.log_file": ("FileDigest", "compress_file")})
