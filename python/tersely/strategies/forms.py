"""The other forms of `compress`: many texts, and async."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from tersely.strategies.options import CompressionOptions
from tersely.threads import default_threads, map_in_threads

__all__ = ["Forms", "checked_options"]

Made = TypeVar("Made")


class Forms(Generic[Made]):
    """Gives a class with `compress` its batch and async forms, which do the same."""

    def compress(
        self, content: str, options: CompressionOptions | None = None, *, source: str | None = None
    ) -> Made:
        """Compress one text."""
        raise NotImplementedError(f"{type(self).__name__} must say how to compress")

    def compress_batch(
        self,
        contents: Sequence[str],
        options: CompressionOptions | None = None,
        *,
        threads: int | None = None,
    ) -> list[Made | Exception]:
        """Compress many texts side by side; what one raised stands in its place.

        `threads`: None: OMP_NUM_THREADS, else the CPUs this process may use.
        """
        options = checked_options(options)

        def one(content: str) -> Made | Exception:
            try:
                return self.compress(content, options)
            except Exception as error:  # one bad text must not lose the others; it stands in the result
                return error

        return map_in_threads(one, _texts(contents), threads or default_threads())

    async def acompress(
        self, content: str, options: CompressionOptions | None = None, *, source: str | None = None
    ) -> Made:
        """`compress` in a thread, for async callers."""
        import asyncio

        return await asyncio.to_thread(self.compress, content, options, source=source)

    async def acompress_batch(
        self, contents: Sequence[str], options: CompressionOptions | None = None
    ) -> list[Made | Exception]:
        """`compress_batch` for async callers; once cancelled, texts that were not begun are left."""
        import asyncio

        options = checked_options(options)

        async def one(content: str) -> Made | Exception:
            try:
                return await self.acompress(content, options)
            except Exception as error:
                return error

        return await asyncio.gather(*map(one, _texts(contents)))


def checked_options(options: CompressionOptions | None) -> CompressionOptions:
    """The options, or the default ones for None. Raises TypeError for anything else."""
    if options is None:
        return CompressionOptions()
    if not isinstance(options, CompressionOptions):
        raise TypeError(f"options must be CompressionOptions or None, not {type(options).__name__}")
    return options


def _texts(contents: Sequence[str]) -> list[str]:
    if isinstance(contents, str):
        raise TypeError("contents must be a list of str, not one str")
    return list(contents)
