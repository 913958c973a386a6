"""Remember a conversation: the newest turns as they were, a few words about those before."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tersely import checks
from tersely.memory.repl import MemoryCompactor, REPLHistory, utc_now
from tersely.memory.statements import BRIEF, standing_sentences
from tersely.text import well_formed

_WINDOW = 5  # turns of the context
_PREVIEW = 100  # characters of each side
_PREVIEWS = 3  # turns of each compaction that stay visible
_PREVIEW_CHARACTERS = 2000  # of all previews
_SAID_CHARACTERS = 900  # of what stands of what the user said


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """A question and its answer; `history`: the steps behind it, compacted where they were many."""

    user_message: str
    assistant_response: str
    task: str = ""
    history: REPLHistory | None = None
    timestamp: str = field(default_factory=utc_now)


@dataclass(eq=False, slots=True)
class ConversationMemory:
    """Stores the turns of a conversation and summarizes old ones.

    Attributes:
        compactor: compacts the steps within a turn; None: one with its defaults.
        max_turns: if there are more, the older half becomes a line of previews, and a line of the user's
            instructions, decisions and wishes that no preview shows.
        turns: the turns that are not compacted.
        archive: the compacted turns, unchanged.
    """

    compactor: MemoryCompactor = field(default_factory=MemoryCompactor)
    max_turns: int = 20
    turns: list[ConversationTurn] = field(default_factory=list, init=False)
    archive: list[ConversationTurn] = field(default_factory=list, init=False)
    _previews: list[str] = field(default_factory=list, init=False, repr=False)
    _said: list[str] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.compactor is None:
            self.compactor = MemoryCompactor()
        self.max_turns = checks.whole_number(self.max_turns, "max_turns", least=1)

    def add_turn(
        self, user_message: str, assistant_response: str, history: REPLHistory | None = None, task: str = ""
    ) -> None:
        """Add a turn; if there are more than `max_turns`, the older half is compacted.

        If compacting its steps raises an error (`CompactionConfig.fallback_to_deterministic` is off), that
        error is raised, and the turn is stored with its steps unchanged.
        """
        turn = ConversationTurn(user_message, assistant_response, task, history)
        self.turns.append(turn)
        try:
            if history is not None and self.compactor.should_compact(history):
                result = self.compactor.compact(history, task)
                if not result.warnings:  # steps that are shorter than their summary stay as they are
                    shorter = self.compactor.apply_compaction(history, result)
                    self.turns[-1] = replace(turn, history=shorter)
        finally:
            if len(self.turns) > self.max_turns:
                self._compact()

    @property
    def summary(self) -> str:
        """The summary of compacted turns; "" if there are none."""
        if not self.archive:
            return ""
        previews = " | ".join(self._previews)
        said = " ".join([one for one in self._said if one not in previews])
        summary = f"[Previous conversation ({len(self.archive)} turns): {previews}]"
        return f"{summary}\n[The user said: {said}]" if said else summary

    def get_context(self, window: int | None = _WINDOW, mark_omitted: bool = False) -> str:
        """Return the conversation as text: the summary and the newest turns.

        `window`: how many turns; None: all that are not compacted. `mark_omitted`: say how many are left out.
        """
        omitted = 0 if window is None else max(len(self.turns) - checks.whole_number(window, "window"), 0)
        parts = [self.summary] if self.archive else []
        if mark_omitted and omitted:
            parts.append(f"[{omitted} turns omitted]")
        parts += [
            f"User: {turn.user_message}\nAssistant: {turn.assistant_response}"
            for turn in self.turns[omitted:]
        ]
        return "\n\n".join(parts)

    def clear(self) -> None:
        """Forget everything."""
        self.turns.clear()
        self.archive.clear()
        self._previews.clear()
        self._said.clear()

    def _compact(self) -> None:
        half = len(self.turns) // 2
        old, self.turns = self.turns[:half], self.turns[half:]
        self.archive += old
        self._previews += [
            f"Q: {turn.user_message[:_PREVIEW]}... A: {turn.assistant_response[:_PREVIEW]}..."
            for turn in old[:_PREVIEWS]
        ]
        while len(self._previews) > 2 and sum(map(len, self._previews)) > _PREVIEW_CHARACTERS:
            del self._previews[1]  # the first says how it began
        texts = [well_formed(turn.user_message) for turn in old if len(turn.user_message) <= BRIEF]
        said = [" ".join(one.split()) for one in standing_sentences(texts)]
        self._said = list(dict.fromkeys([*self._said, *said]))
        while sum(map(len, self._said)) + len(self._said) > _SAID_CHARACTERS:
            del self._said[0]
