"""Compressors and managers by the names that callers know them by: views of the engine."""
