"""Ask a language model for texts; unusable replies are asked for once more.

Nothing here asks a model: `run_flow` and `run_flow_async` (models/flows.py) run these flows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from tersely.engine.reading import count, count_batch, segment
from tersely.errors import ModelReplyError, OversizedReplyError, TruncatedReplyError
from tersely.models.language_models import Completion, Flow
from tersely.protocols import BatchTokenCounter
from tersely.text import well_formed
from tersely.writing.checks import first_sentences
from tersely.writing.prompt import Prompt

_ATTEMPTS = 2
_LONG = f"it had {10**7} tokens, and the limit is {10**7}"  # no refusal is longer


@dataclass(frozen=True, slots=True)
class Task:
    """A text for a model to write."""

    content: str  # what it reads
    prompt: Prompt  # how it is asked
    limit: int  # tokens of `counter` that the reply may have
    counter: BatchTokenCounter  # the tokenizer of `limit` and `window`; `unit` is what it counts, for prompts
    unit: str = "tokens"
    target: int = 0  # the number that the prompt asks for; 0: `limit`
    least: int = 1  # a second prompt does not ask for less
    sentences: int | None = None  # as many of the reply are taken, from its start; None: all
    window: int | None = None  # a longer prompt goes in parts; None: never
    separator: str = "\n\n"  # between the replies to parts


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply of a model."""

    text: str  # where `reason` is set, what there is nevertheless, too long mostly; or ""
    size: int = 0  # tokens of `text`
    # why it cannot be used as it is: "model_failed" (it raised), "empty_reply", "reply_truncated" (it ended
    # at the model's limit of tokens), "reply_too_long", "no_room" (no part could have a token),
    # "prompt_too_long" (one segment is over the window); None: it can
    reason: str | None = None
    error: Exception | None = None  # what the model raised


def ask(tasks: Sequence[Task]) -> Flow[list[Reply]]:
    """The reply to each task. Yields all prompts of a round together.

    A reply that is empty, cut off or too long is asked for once more, with what was wrong; a model that
    raised is not (clients repeat requests themselves). Prompts over the window go in parts, whose replies are
    joined.
    """
    parts = [_parts(task) for task in tasks]
    flat = [part for group in parts if not isinstance(group, str) for part in group]
    replies = iter((yield from _rounds(flat)))
    return [
        Reply("", reason=group)
        if isinstance(group, str)
        else _join_replies(task, [next(replies) for _ in group])
        for task, group in zip(tasks, parts, strict=True)
    ]


def _rounds(tasks: Sequence[Task]) -> Flow[list[Reply]]:
    replies: dict[int, Reply] = {}
    prompts = {index: _prompt(task) for index, task in enumerate(tasks)}
    for _ in range(_ATTEMPTS):
        completions = (yield list(prompts.values())) if prompts else []
        for index, completion in zip(list(prompts), completions, strict=True):
            task, reply = tasks[index], _read(tasks[index], completion)
            if reply.reason in (None, "model_failed"):
                del prompts[index]
            else:
                prompts[index] = _prompt(task, reply)
            before = replies.get(index)
            if before is not None and not reply.text:
                reply = replace(reply, text=before.text, size=before.size)
            replies[index] = reply
    return [replies[index] for index in range(len(tasks))]


def _read(task: Task, completion: Completion) -> Reply:
    if isinstance(completion, TruncatedReplyError):
        return Reply("", reason="reply_truncated", error=completion)
    if isinstance(completion, OversizedReplyError):
        return Reply("", reason="reply_too_long", error=completion)
    if isinstance(completion, Exception):
        reason = "empty_reply" if isinstance(completion, ModelReplyError) else "model_failed"
        return Reply("", reason=reason, error=completion)
    text = task.prompt.read(completion, task.content)
    if not text or well_formed(text) is not text:  # half a character: who knows what else is missing
        return Reply("", reason="empty_reply")
    text = text if task.sentences is None else first_sentences(text, task.sentences)
    size = count(task.counter, text)
    return Reply(text, size, "reply_too_long" if size > task.limit else None)


def _prompt(task: Task, reply: Reply | None = None) -> str:
    """The prompt, or the second one, which says what was wrong with a reply."""
    target = task.target or task.limit
    if reply is None:
        return task.prompt.fill(task.content, target)
    if reply.reason == "empty_reply":
        return task.prompt.fill(task.content, target, "it was empty")
    if reply.reason == "reply_truncated":
        shorter, wrong = target // 2, "it was cut off at the model's limit of tokens"
    elif not reply.size:
        shorter, wrong = target, "it was far too long to be read"
    else:
        shorter = max(target // 2, target * task.limit // reply.size)
        wrong = f"it had {reply.size} {task.unit}, and the limit is {task.limit}"
    return task.prompt.fill(task.content, min(max(shorter, task.least, 1), target), wrong)


def _parts(task: Task) -> list[Task] | str:
    """The task in as few parts as filling the window in order gives, with shares of its limit by size.

    Cut between blocks, and between segments where one block is too long. A reason code where it cannot be.
    """
    if task.limit < 1:
        return "no_room"
    target = task.target or task.limit
    if task.window is None or _longest_prompt(task, task.content) <= task.window:
        return [task]
    space = task.window - _longest_prompt(task, "")
    texts = _split_content(task, space)
    if not texts or any(_longest_prompt(task, text) > task.window for text in texts):
        return "prompt_too_long"
    sizes = count_batch(task.counter, texts)
    limit = task.limit - count(task.counter, task.separator) * (len(texts) - 1)
    limits, targets = ((most * sizes // max(int(sizes.sum()), 1)).tolist() for most in (limit, target))
    if min(limits) < 1:
        return "no_room"
    return [
        replace(task, content=text, limit=limit, target=max(min(target, limit), 1), window=None, least=1)
        for text, limit, target in zip(texts, limits, targets, strict=True)
    ]


def _longest_prompt(task: Task, content: str) -> int:
    return count(task.counter, task.prompt.fill(content, task.target or task.limit, _LONG))


def _split_content(task: Task, space: int) -> list[str]:
    """Split the content into pieces of about `space` tokens, in order."""
    table = segment([task.content])
    first = np.diff(table.block, prepend=-1) != 0  # rows that begin a block

    def pieces(starts: list[int]) -> list[str]:
        return [task.content[start:end] for start, end in pairwise([*starts, len(task.content)])]

    blocks = count_batch(task.counter, pieces(table.start[first].tolist()))
    starts = table.start[first | (blocks > space)[np.cumsum(first) - 1]].tolist()
    begins: list[int] = []
    used = space
    for start, size in zip(starts, count_batch(task.counter, pieces(starts)).tolist(), strict=True):
        if used + size > space:
            begins.append(start)
            used = 0
        used += size
    return [piece.rstrip() for piece in pieces(begins)]


def _join_replies(task: Task, replies: Sequence[Reply]) -> Reply:
    if len(replies) == 1:
        return replies[0]
    text = task.separator.join(reply.text for reply in replies) if all(one.text for one in replies) else ""
    size = count(task.counter, text) if text else 0
    worst = max(replies, key=lambda reply: (reply.reason == "model_failed", reply.reason is not None))
    if worst.reason is None:
        return Reply(text, size, "reply_too_long" if size > task.limit else None)
    return Reply(text, size, worst.reason, worst.error)
