"""What is sent keeps the rules of the provider whose shape it has, however calls and results are mixed."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from tersely import BudgetExceededError
from tersely.memory import Compactor, compact_messages
from tersely.memory.groups import broken_rules
from tersely.memory.messages import read_messages

Turn = list[list[dict[str, Any]]]  # messages, a list a request: what came since the model answered last

LOG = "\n".join(
    f"2026-01-05T10:00:{n:02}Z worker {n % 7} did step {n} in {n * 37 % 900} ms" for n in range(40)
)
WORDS = "Find out why the nightly job failed on web-17; never restart the database there."


def calls_of(chance: random.Random, turn: int, reused: bool) -> list[str]:
    many = chance.choice((0, 1, 1, 2, 3))
    return [f"c{n}" if reused else f"c{turn}_{n}" for n in range(many)]


def chat(turn: int, calls: list[str], outputs: list[str]) -> Turn:
    made = [{"id": one, "type": "function", "function": {"name": "bash", "arguments": "{}"}} for one in calls]
    said = {"role": "assistant", "content": f"Step {turn}."} | ({"tool_calls": made} if made else {})
    results = zip(calls, outputs, strict=True)
    return [[said], [{"role": "tool", "tool_call_id": one, "content": text} for one, text in results]]


def responses(turn: int, calls: list[str], outputs: list[str]) -> Turn:
    made = [{"type": "function_call", "call_id": one, "name": "bash", "arguments": "{}"} for one in calls]
    thought = {"type": "reasoning", "id": f"rs_{turn}", "summary": [], "encrypted_content": "signed"}
    text = [{"type": "output_text", "text": f"Step {turn}."}]
    said = [thought, *made] if made else [{"type": "message", "role": "assistant", "content": text}]
    results = zip(calls, outputs, strict=True)
    return [said, [{"type": "function_call_output", "call_id": one, "output": text} for one, text in results]]


def anthropic(turn: int, calls: list[str], outputs: list[str]) -> Turn:
    thought = {"type": "thinking", "thinking": f"Let me see {turn}.", "signature": "signed"}
    made = [{"type": "tool_use", "id": one, "name": "bash", "input": {}} for one in calls]
    said = {"role": "assistant", "content": [thought, {"type": "text", "text": f"Step {turn}."}, *made]}
    pairs = zip(calls, outputs, strict=True)
    results = [{"type": "tool_result", "tool_use_id": one, "content": text} for one, text in pairs]
    return [[said], [{"role": "user", "content": results}] if results else []]


def gemini(turn: int, calls: list[str], outputs: list[str]) -> Turn:
    made = [
        {"functionCall": {"id": one, "name": "bash", "args": {}}, "thoughtSignature": "signed"}
        for one in calls
    ]
    pairs = zip(calls, outputs, strict=True)
    results = [
        {"functionResponse": {"id": one, "name": "bash", "response": {"output": text}}} for one, text in pairs
    ]
    said = {"role": "model", "parts": [{"text": f"Step {turn}."}, *made]}
    return [[said], [{"role": "user", "parts": results}] if results else []]


SHAPES = {"chat": chat, "responses": responses, "anthropic": anthropic, "gemini": gemini}
Shape = Callable[[int, list[str], list[str]], Turn]


def user(shape: Shape, text: str) -> dict[str, Any]:
    if shape is gemini:
        return {"role": "user", "parts": [{"text": text}]}
    return {"role": "user", "content": text}


def requests(shape: Shape, seed: int, turns: int = 30) -> list[list[dict[str, Any]]]:
    """A history as it stands at each request to the model."""
    chance = random.Random(f"{shape.__name__} {seed}")
    history = [user(shape, WORDS)]
    found = []
    for turn in range(turns):
        found.append(history)
        calls = calls_of(chance, turn, reused=seed % 5 == 0)
        outputs = [chance.choice((LOG, "ok", f"exit code {turn}")) for _ in calls]
        said, results = shape(turn, calls, outputs)
        if len(results) > 1 and shape in (chat, responses) and seed % 2:
            chance.shuffle(results)
        history = [*history, *said, *results]
        if not calls or chance.random() < 0.2:
            history = [*history, user(shape, f"Go on with step {turn}. " + WORDS * chance.choice((0, 1, 6)))]
    return found


def problems(messages: list[dict[str, Any]]) -> list[str]:
    """What a provider would refuse, read from the raw messages."""
    found = []
    if (messages[0].get("role") or messages[0]["type"]) != "user":
        found.append("it does not begin with a user")
    for number, message in enumerate(messages):
        behind = messages[number + 1 :]
        blocks = [one for one in message.get("content") or message.get("parts", []) if isinstance(one, dict)]
        if "tool_calls" in message:
            wanted = {call["id"] for call in message["tool_calls"]}
            given = [one.get("tool_call_id") for one in behind[: len(wanted)]]
            found += ["results do not follow"] if set(given) != wanted else []
        if message.get("role") == "tool":
            before = next((one for one in messages[:number][::-1] if one["role"] != "tool"), {})
            ids = [call["id"] for call in before.get("tool_calls", ())]
            found += ["a result without its call"] if message["tool_call_id"] not in ids else []
        if message.get("type") == "function_call":
            outputs = [one for one in behind if one.get("type") == "function_call_output"]
            found += ["no output"] if message["call_id"] not in [one["call_id"] for one in outputs] else []
        if message.get("type") == "function_call_output":
            ids = [one.get("call_id") for one in messages[:number] if one.get("type") == "function_call"]
            found += ["an output without its call"] if message["call_id"] not in ids else []
        if message.get("type") == "reasoning" and behind[0].get("type") != "function_call":
            found.append("reasoning alone")
        for name, answer, key in (
            ("tool_use", "tool_result", "tool_use_id"),
            ("functionCall", "functionResponse", "id"),
        ):
            made = [block.get(name, block)["id"] for block in blocks if name in (block.get("type"), *block)]
            after = (behind[0].get("content") or behind[0].get("parts")) if made and behind else []
            given = [
                block.get(answer, block)[key] for block in after if answer in (block.get("type"), *block)
            ]
            found += ["results are not in the next message"] if sorted(made) != sorted(given) else []
            here = [block for block in blocks if answer in (block.get("type"), *block)]
            before = messages[number - 1] if number else {}
            asked = [
                block
                for block in before.get("content") or before.get("parts") or ()
                if isinstance(block, dict)
            ]
            had = [block.get(name, block).get("id") for block in asked if name in (block.get("type"), *block)]
            found += ["a result without its call" for one in here if one.get(answer, one)[key] not in had]
    return found


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("seed", range(6))
def test_a_history_that_grows_stays_valid(shape: Shape, seed: int) -> None:
    compactor, histories = Compactor(900 + 150 * seed), requests(shape, seed, turns=20)
    assert problems(histories[-1]) == broken_rules(read_messages(histories[-1])) == []
    for history in histories:
        result = compactor.compact(history)
        assert problems(result.messages) == broken_rules(read_messages(result.messages)) == []
        sealed = [str(message) for message in history]  # signatures stand with what they sign
        for message in result.messages:
            assert (
                "signed" not in str(message) or str(message) in sealed
            )  # signatures stand with what they sign


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("query", [None, "Which step of worker 3 was slow?"])
@pytest.mark.parametrize("budget", [60, 150, 400, 1500])
def test_one_compaction_is_valid(shape: Shape, query: str | None, budget: int) -> None:
    history = requests(shape, 1)[-1]
    try:
        result = compact_messages(history, budget=budget, query=query)
    except BudgetExceededError as error:
        result = compact_messages(history, budget=int(error.required), query=query)
    assert problems(result.messages) == broken_rules(read_messages(result.messages)) == []


@pytest.mark.parametrize("shape", [chat, responses], ids=["chat", "responses"])
def test_results_that_come_one_by_one_never_lose_their_call(shape: Shape) -> None:
    history = requests(shape, 3)[-1]
    compactor = Compactor(900)
    for length in range(1, len(history) + 1):
        sent = broken_rules(read_messages(compactor.compact(history[:length]).messages))
        came = broken_rules(read_messages(history[:length]))
        assert sent.count("result_without_call") == 0 and len(sent) <= len(came)


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ([("tool", "a")], "result_without_call"),
        ([("call", "a"), ("user", "x")], "call_without_result"),
        ([("call", "a"), ("user", "x"), ("tool", "a")], "call_parted"),
        ([("call", "a")], None),
        ([("call", "a"), ("tool", "a"), ("call", "a"), ("tool", "a")], None),
    ],
)
def test_rules(said: list[tuple[str, str]], rule: str | None) -> None:
    messages = [user(chat, "Go.")]
    for role, text in said:
        called, results = chat(1, [text], ["x"])
        messages += called if role == "call" else results if role == "tool" else [user(chat, text)]
    assert broken_rules(read_messages(messages)) == ([rule] if rule else [])
    assert broken_rules(read_messages(messages[1:]))[-1:] == (
        [] if role_of(messages[1:]) == "user" else ["begins_with_answer"]
    )


def role_of(messages: list[dict[str, Any]]) -> str:
    return str(messages[0]["role"])


def converse(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": [{"text": text}]}


@pytest.mark.parametrize("pinned", [(), (4,), (5,), (12, 15)])
def test_turns_of_converse_alternate_where_what_stood_between_two_of_one_role_is_gone(
    pinned: tuple[int, ...],
) -> None:
    history = [converse(("user", "assistant")[n % 2], f"Step {n}. {WORDS} {LOG}") for n in range(19)]
    made = compact_messages(history, budget=6000, pinned=pinned, keep_last=1)
    roles = [message["role"] for message in made.messages]
    assert roles == [("user", "assistant")[n % 2] for n in range(len(roles))]
    blocks = [block for message in made.messages for block in message["content"]]
    assert all(history[index]["content"][0] in blocks for index in (*pinned, 18))
    assert made.tokens == compact_messages(made.messages, budget=9999).original_tokens <= 6000


def test_a_compactor_sends_turns_of_converse_that_alternate() -> None:
    compactor, most = Compactor(3000), 1
    history = [converse(("user", "assistant")[n % 2], f"Step {n}. {WORDS} {LOG[:800]}") for n in range(40)]
    for length in range(1, 40, 2):
        made = compactor.compact(history[:length])
        roles = [message["role"] for message in made.messages]
        assert roles == [("user", "assistant")[n % 2] for n in range(len(roles))]
        assert made.tokens == compact_messages(made.messages, budget=9999).original_tokens <= 3000
        most = max(most, *(len(message["content"]) for message in made.messages))
    assert most > 1  # excerpts, and the turn of the user beside them


def test_a_pinned_turn_of_gemini_is_one_with_the_calls_that_come_to_stand_behind_it() -> None:
    history = [user(gemini, WORDS)]
    for turn in range(12):
        for message in gemini(turn, [f"c{turn}"], [f"{turn} {LOG}"]):
            history += message
        history += [
            {"role": "model", "parts": [{"text": f"Done {turn}."}]},
            user(gemini, f"Next {turn}. {LOG}"),
        ]
    (pin,) = [n for n, message in enumerate(history) if message["parts"][0].get("text") == "Done 6."]
    budgets = range(3000, 12000, 500)
    for made in (compact_messages(history, budget=budget, pinned=[pin]) for budget in budgets):
        for before, message in zip(made.messages, made.messages[1:], strict=False):
            assert before["role"] == "user" or not any("functionCall" in part for part in message["parts"])
