"""Make a tool give shorter results: a decorator for functions, sync or async."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, overload

from tersely.agents.tool_results import BUDGET, ToolResultCompressor
from tersely.core import checks

__all__ = ["compress_tool"]

F = TypeVar("F", bound=Callable[..., Any])

_ANY = inspect.signature(lambda *args, **kwargs: None)


@overload
def compress_tool(function: F, *, budget: int = ..., **options: Any) -> F: ...
@overload
def compress_tool(*, budget: int = ..., **options: Any) -> Callable[[F], F]: ...
def compress_tool(
    function: Callable[..., Any] | None = None, *, budget: int = BUDGET, **options: Any
) -> Callable[..., Any]:
    """Make a tool's function give results within a budget; name, signature and docstring stay.

    Put it under a framework's own decorator, or around a function that is handed over. A result that cannot
    be compressed is given as it is, whatever the reason; what the function raises is raised.

    >>> from tersely.agents import compress_tool
    >>> @compress_tool(budget=50)
    ... def list_rows(count: int) -> list[int]:
    ...     "Rows of the table."
    ...     return list(range(count))
    >>> len(list_rows(3)), len(list_rows(1000)) < 50, list_rows.__name__
    (3, True, 'list_rows')

    Args:
        function: the tool, a function, a coroutine function or a method.
        budget, options: as in `compress_tool_result`, but for name and arguments, which are the call's.

    Raises TypeError for what is no function, or gives its results one by one (a generator).
    """
    query = options.pop("query", None)
    if query is not None:
        query = checks.text(query, "query")
    compressor = ToolResultCompressor(budget, **options)
    if function is None:
        return lambda function: _wrap(function, compressor, query)
    return _wrap(function, compressor, query)


def _wrap(
    function: Callable[..., Any], compressor: ToolResultCompressor, query: str | None
) -> Callable[..., Any]:
    streams = inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
    if not callable(function) or isinstance(function, type) or streams:
        raise TypeError(f"compress_tool takes a function that returns its result, not {function!r}")
    try:
        signature = inspect.signature(function)
    except ValueError:  # of something built in
        signature = _ANY
    name = getattr(function, "__name__", type(function).__name__)

    def shorter(result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            arguments = signature.bind(*args, **kwargs).arguments
        except TypeError:  # of a function that is wrapped, and called otherwise than it says
            arguments = kwargs
        return compressor.compress_or_leave(result, query, name, arguments)

    async def shorter_later(result: Awaitable[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        from asyncio import to_thread

        return await to_thread(shorter, await result, args, kwargs)

    @functools.wraps(function)
    async def later(*args: Any, **kwargs: Any) -> Any:
        return await shorter_later(function(*args, **kwargs), args, kwargs)

    @functools.wraps(function)
    def now(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        if inspect.isawaitable(result):  # a function that calls one that is async
            return shorter_later(result, args, kwargs)
        return shorter(result, args, kwargs)

    called = getattr(function, "__call__", None)  # noqa: B004  of an object
    return later if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called) else now
