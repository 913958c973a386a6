"""What people said stays said: whole, before what tools gave; what of it goes is named."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from histories import all_text, tokens_of, tool_turn
from tersely.memory import Compactor, compact_messages
from tersely.memory.messages import read_messages
from tersely.memory.statements import led_into

SAID = [
    "Please never write to the table audit_2026, it must keep 400 days.",
    "I am allergic to penicillin.",
    "We decided to stay on PostgreSQL 16.",
    "The report is due on June 3, before noon.",
    "Leave my drafts alone.",
    "Call me Ada, I use a screen reader.",
    "Correction: it is the Boston office, not the Austin one.",
    "请不要改动生产数据库。",
]


def session(turns: int = 16) -> list[dict[str, Any]]:
    """A session whose users say something that stands, every other turn, between results of tools."""
    messages = [{"role": "user", "content": "Find out why invoices are late and mend it."}]
    for turn in range(turns):
        rows = [{"invoice": f"INV-{turn}{n}", "days": n * 7 % 30, "at": f"06:{n:02}:00"} for n in range(12)]
        messages += tool_turn(f"c{turn}", json.dumps(rows), "list_invoices", json.dumps({"page": turn}))
        messages.append(
            {"role": "assistant", "content": f"Page {turn} has {turn % 5} late invoices. Shall I go on?"}
        )
        said = f" {SAID[turn // 2 % len(SAID)]}" if turn % 2 else ""
        messages.append({"role": "user", "content": f"Yes, go ahead.{said}"})
    return messages


def excerpts(messages: list[Any]) -> list[str]:
    pieces = [piece for entry in read_messages(messages) for piece in entry.pieces]
    return [line for piece in pieces if piece.kind == "excerpts" for line in piece.text.split("\n")[2:-1]]


@pytest.mark.parametrize("share", [0.1, 0.2, 0.5])
def test_what_people_said_in_the_middle_stands_word_for_word(share: float) -> None:
    messages = session()
    text = all_text(compact_messages(messages, budget=int(share * tokens_of(messages))).messages)
    assert [said for said in SAID if said not in text] == []


@pytest.mark.parametrize(("turns", "budget", "step"), [(60, 1500, 4), (60, 800, 3)])
def test_also_after_many_turns_of_a_compactor(turns: int, budget: int, step: int) -> None:
    messages = session(turns)
    compactor = Compactor(budget)
    for length in range(1, len(messages) + 1, step):
        result = compactor.compact(messages[:length])
    text = all_text(result.messages)
    assert [said for said in SAID if said not in text] == []


def test_also_where_one_result_is_half_of_the_budget() -> None:
    rows = [{"node": f"n-{n}", "cpu": n * 13 % 100, "at": f"2024-05-16T06:{n:02}:00Z"} for n in range(12)]
    messages: list[dict[str, Any]] = []
    for turn in range(60):
        said = SAID[turn // 7] if turn % 7 == 3 and turn < 56 else f"What about n-{turn}?"
        messages += [
            {"role": "user", "content": said},
            *tool_turn(f"c{turn}", json.dumps(rows), "list", "{}"),
        ]
        messages.append({"role": "assistant", "content": f"Page {turn} has degraded nodes. Shall I go on?"})
    compactor = Compactor(900)
    for length in range(1, len(messages) + 1, 2):
        text = all_text(compactor.compact(messages[:length]).messages)
        said = [message["content"] for message in messages[:length] if message.get("content") in SAID]
        assert [one for one in said if one not in text] == []


def test_no_line_is_numbers_alone_and_words_of_agreement_go() -> None:
    messages = session()
    lines = excerpts(compact_messages(messages, budget=tokens_of(messages) // 3).messages)
    assert lines and all(re.search(r"[^\W\d_]{2}", line.partition(": ")[2] or line) for line in lines)
    assert not any("go ahead" in line and line.endswith("ahead.") for line in lines)


def test_of_a_line_that_two_results_have_the_newer_stands() -> None:
    messages = [{"role": "user", "content": "Run the tests until all pass."}]
    for turn in range(2):
        lines = [f"PASSED tests/test_{n}.py::test_part_{n}" for n in range(40)]
        lines[20] = f"FAILED tests/test_20.py::test_in_run_{turn}"
        messages += tool_turn(f"t{turn}", "\n".join(lines), "pytest", json.dumps({"n": turn}))
        messages.append({"role": "assistant", "content": f"Run {turn} is done, I will look at it."})
    messages += [{"role": "user", "content": "Go on, and tell me more of it. " * 40}]
    result = compact_messages(messages, budget=tokens_of(messages[-1:]) + 200)
    first, second = (
        "\n".join([messages[account.index]["content"][low:high] for _, low, high in account.kept])
        for account in result.accounts
        if messages[account.index].get("tool_call_id")
    )
    assert "PASSED" in second and "PASSED" not in first


NOTED = [
    "DECISION: Everybody sits in hall Zornau.",
    "The base commit for the work is 0bd5482.",
    "NOTE: Answers in Wqnqv style, metric units.",
    "Nobody may open the vault of Mr. Ojgdu.",
]
AROUND = [
    "I walked through the pages about the queue and its workers with the new people before lunch.",
    "The two of us looked at how the page cache is filled and it reads much like the one of last year.",
    "Somebody from the other floor came by, and I told them how the importer is put together.",
]


def test_what_is_to_hold_and_what_can_be_looked_up_goes_before_what_is_told() -> None:
    messages = [{"role": "user", "content": "Hello, I would like to go through some things."}]
    for turn in range(30):
        said = NOTED[turn // 7] if turn % 7 == 3 and turn < 28 else f"{AROUND[turn % 3]} Part {turn}."
        messages.append({"role": "user", "content": said})
        messages.append({"role": "assistant", "content": "Noted and recorded."})
    messages.append({"role": "user", "content": "Anything else?"})
    result = compact_messages(messages, budget=tokens_of(messages) // 8)
    text = all_text(result.messages)
    assert [said for said in NOTED if said not in text] == [] and "Noted and" not in text


def test_a_budget_that_the_newest_answer_fills_leaves_room_for_words_of_the_user() -> None:
    asked = {"role": "user", "content": "Why does the test fail on Windows? " * 5}
    answer = {"role": "assistant", "content": "The separator in loader.py line 12 is wrong. " * 5}
    result = compact_messages([asked, answer] * 3, budget=100)
    assert "Why does the test fail" in all_text(result.messages)


def test_each_line_of_excerpts_is_whole_or_has_words_in_a_row() -> None:
    messages = session()
    text = json.dumps(
        {"order": {"id": "R-17", "paid": True, "lines": [{"sku": f"S{n}", "n": n} for n in range(40)]}}
    )
    messages[1:1] = tool_turn("order", text, "get_order", "{}")
    texts = [piece.text for entry in read_messages(messages) for piece in entry.pieces]
    whole, running = {line for text in texts for line in text.splitlines()}, "\n".join(texts)
    for share in (0.15, 0.3):
        lines = excerpts(compact_messages(messages, budget=int(share * tokens_of(messages))).messages)
        said = [re.sub(r"^\w+(?: \w+)? \d+: ", "", line).strip() for line in lines]
        assert said and all(line in running and (line in whole or line.count(" ") > 2) for line in said)


def test_a_member_of_a_large_object_brings_what_says_whose_it_is() -> None:
    items = [
        {"sku": f"SKU-{n:03}", "title": f"Part number {n}", "notes": "as agreed before"} for n in range(60)
    ]
    last = {"order": "R-1771", "for": "Ada", "items": items, "payment_id": "gift_card_7711", "total": 41}
    messages = session(4)
    messages[1:1] = tool_turn("order", json.dumps(last), "get_order", "{}")
    lines = "\n".join(excerpts(compact_messages(messages, budget=900).messages))
    assert "gift_card_7711" in lines and '"order": "R-1771"' in lines


def test_members_of_a_large_object_stand_by_twos_and_the_odd_one_with_two_others() -> None:
    names = ["berth", "harbour", "skipper", "arrival", "draught_cm", "last_inspection", "insurance_number"]
    ships = [{name: f"{name[:3]}-{n}-{at * 37}" for at, name in enumerate(names)} for n in range(30)]
    messages = session(4)
    messages[1:1] = tool_turn("ships", json.dumps(ships), "list_ships", "{}")
    for share in (0.2, 0.4):
        lines = excerpts(compact_messages(messages, budget=int(share * tokens_of(messages))).messages)
        members = [line.count('": ') for line in lines if any(f'"{name}": ' in line for name in names)]
        assert members and min(members) >= 2


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("budget", [400, 500, 800])
def test_an_item_of_a_list_brings_the_key_that_says_which_list_it_is(indent: int | None, budget: int) -> None:
    codes = [f"{one}W{n}Q{n * 7}0" for n, one in enumerate("KLMNOPRSTU")]
    record = {"user": "ada_77", "reservations": codes, "zip": "10115", "cards": {"card_7": {"brand": "visa"}}}
    messages = session(6)
    messages[1:1] = tool_turn("user", json.dumps(record, indent=indent), "get_user", "{}")
    lines = "\n".join(excerpts(compact_messages(messages, budget=budget).messages))
    found = [code for code in codes if f'"{code}"' in lines]
    assert found and '"reservations": [' in lines


@pytest.mark.parametrize("budget", [120, 170, 240])
def test_what_people_said_and_is_gone_is_named_with_its_place(budget: int) -> None:
    messages = session()
    result = compact_messages(messages, budget=budget)
    text = all_text(result.messages)
    gone = [said for said in SAID if said not in text]
    named = [
        messages[account.index]["content"][start:end]
        for account in result.accounts
        for _, start, end in account.lost
        if messages[account.index]["role"] == "user"
    ]
    assert "facts_left_out" in result.warnings
    for said in gone:
        assert any(part in said or said in part for part in named), said


ENGLISH = " ".join(
    f"In step {n} the key of region {n} must be rotated before the signer changes." for n in range(300)
)
CHINESE = "".join(f"第{n}步之后，区域{n}的密钥必须在签名者更换之前轮换。" for n in range(300))


@pytest.mark.parametrize("text", [ENGLISH, CHINESE], ids=["english", "chinese"])
@pytest.mark.parametrize("query", [None, "When is the key of region 77 rotated?", "区域77的密钥何时轮换？"])
@pytest.mark.parametrize("behind", [[], [{"role": "user", "content": "Go on."}]], ids=["", "asked"])
def test_a_long_line_of_the_user_is_cut_by_its_sentences(
    text: str, query: str | None, behind: list[dict[str, Any]]
) -> None:
    answer = {"role": "assistant", "content": "Understood, I will plan that."}
    messages = [{"role": "user", "content": text}, answer, *behind]
    result = compact_messages(messages, budget=1500, query=query)
    assert result.messages[0]["role"] == "user"
    assert 1100 < result.tokens == tokens_of(result.messages) <= 1500
    assert result.accounts[0].outcome == "folded"


def test_an_encrypted_summary_of_a_provider_stays_whole() -> None:
    sealed = {"type": "compaction", "id": "cmp_1", "encrypted_content": "c2VhbGVk" * 40}
    messages = [
        sealed,
        *[{"type": "message", "role": "user", "content": f"Look at part {n}."} for n in range(90)],
    ]
    result = compact_messages(messages, budget=400)
    assert result.messages[0] is sealed and result.accounts[0].reason == "sealed"


SEAL = "c2VhbGVk" * 12
NOISE = "a line of a log that says nothing of note\n" * 40


def sealed_turns(shape: str, number: int) -> list[dict[str, Any]]:
    """A call with what only its provider reads, and its result."""
    call, said = f"c{number}", NOISE + str(number)
    if shape == "responses":
        thought = {"type": "reasoning", "id": f"r{number}", "summary": [], "encrypted_content": SEAL}
        made = {"type": "function_call", "call_id": call, "name": "run", "arguments": "{}"}
        return [thought, made, {"type": "function_call_output", "call_id": call, "output": said}]
    if shape == "anthropic":
        thoughts = [
            {"type": "thinking", "thinking": "So be it.", "signature": SEAL},
            {"type": "redacted_thinking", "data": SEAL},
        ]
        made = {"type": "tool_use", "id": call, "name": "run", "input": {}}
        result = {"type": "tool_result", "tool_use_id": call, "content": said}
        return [{"role": "assistant", "content": [*thoughts, made]}, {"role": "user", "content": [result]}]
    part = {"functionCall": {"id": call, "name": "run", "args": {}}, "thoughtSignature": SEAL}
    answer = {"functionResponse": {"id": call, "name": "run", "response": {"output": said}}}
    return [{"role": "model", "parts": [part]}, {"role": "user", "parts": [answer]}]


@pytest.mark.parametrize("shape", ["responses", "anthropic", "gemini"])
@pytest.mark.parametrize("budget", [500, 1200])
def test_what_only_a_provider_reads_stays_whole_or_goes_and_is_never_quoted(shape: str, budget: int) -> None:
    asked: dict[str, Any] = {"role": "user", "content": "Go on."}
    if shape == "gemini":
        asked = {"role": "user", "parts": [{"text": "Go on."}]}
    turns = [message for number in range(9) for message in sealed_turns(shape, number)]
    unknown = [{"type": "context_checkpoint", "blob": SEAL}] if shape == "responses" else []
    messages = [asked, *unknown, *turns, asked]
    result = compact_messages(messages, budget=budget)
    assert SEAL not in "\n".join(excerpts(result.messages))
    assert str(result.messages).count(SEAL) == sum(
        str(message).count(SEAL) for message in result.messages if message in messages
    )
    for item in unknown:
        assert item in result.messages and result.accounts[1].reason == "unknown"


@pytest.mark.parametrize("place", [0, 25, -1])
@pytest.mark.parametrize("said", SAID[:7])
def test_so_does_what_stands_in_a_long_first_message(said: str, place: int) -> None:
    messages = session()
    steps = [f"- Section {n} of the report lists invoices by age, region and clerk." for n in range(50)]
    steps.insert(place % 51, said)
    messages[0] = {"role": "user", "content": "# Report on invoices\n\n" + "\n".join(steps)}
    text = all_text(compact_messages(messages, budget=tokens_of(messages) // 5).messages)
    assert said in text


ORDERS = [
    "Steer clear of port 9443.",
    "The ledger table is off limits.",
    "Check with Ada prior to a migration.",
    "Anything under legacy/ is frozen.",
    "Spare the archive folder.",
    "Whatever comes, the seeds file stays as it is.",
    "Answers in French, please.",
    "Ask Ada before a migration.",
    "Confine edits to src/shop.",
    "Avoid new packages.",
    "That folder, seeds/old, is off limits.",
]


def stands_within(said: str, turn: int, sentences: int, before: int, share: int) -> bool:
    """Whether `said` stands in 1/share of a session, one of whose messages has it among so many sentences."""
    messages = session()
    told = [f"{AROUND[n % 3]} That was on day {n} of the tour." for n in range(sentences)]
    messages[4 * turn] = {"role": "user", "content": " ".join([*told[:before], said, *told[before:]])}
    return said in all_text(compact_messages(messages, budget=tokens_of(messages) // share).messages)


@pytest.mark.parametrize("turn", [0, 6])
@pytest.mark.parametrize("said", ORDERS)
def test_an_order_without_not_stands_also_within_a_long_message(said: str, turn: int) -> None:
    assert stands_within(said, turn, sentences=16, before=9, share=6)


@pytest.mark.parametrize("turn", [0, 6])
@pytest.mark.parametrize("said", [
    SAID[4], *ORDERS[1:4], *ORDERS[7:8], "Wait for my OK before deploying.", "Use tabs in Makefiles.",
    "必ずテストを実行してからコミットしてください。",
])  # fmt: skip
def test_also_within_one_of_many_pages(said: str, turn: int) -> None:
    assert stands_within(said, turn, sentences=130, before=70, share=8)


@pytest.mark.parametrize("turn", [0, 6])
@pytest.mark.parametrize(
    ("head", "items"),
    [
        ("Don't touch any of these:", ["- infra/legacy", "- vault_keys", "- port 9443"]),
        ("Ground rules:", ["1. infra/legacy", "2. Tabs.", "3. Signed commits."]),
        ("# Passes\n", ["- The barcode is Aztec, not QR.", "- Names are cut at 22.", "- Dogs: own passes."]),
        ("## Do not touch\n", ["| path | owner |\n|---|---|\n| infra/legacy | Ken |"]),
    ],
)
def test_what_is_listed_below_an_order_stands_with_it(head: str, items: list[str], turn: int) -> None:
    messages = session()
    told = " ".join(f"{AROUND[n % 3]} That was on day {n} of the tour." for n in range(9))
    messages[4 * turn] = {"role": "user", "content": "\n\n".join([told, "\n".join([head, *items]), told])}
    for _ in range(3):
        messages = compact_messages(messages, budget=700).messages
        text = all_text(messages)
        assert [row for item in items for row in re.split(r"\n(?:\|---.*\n)?", item) if row not in text] == []
        messages = [*messages, *session(4)]


@pytest.mark.parametrize("turn", [0, 6])
def test_and_what_stands_before_or_behind_a_log_that_is_pasted(turn: int) -> None:
    messages = session()
    log = "\n".join(f"2024-05-01T06:{n:02}:00Z INFO worker-{n % 3} took job {n * 31}" for n in range(60))
    messages[4 * turn] = {"role": "user", "content": f"Never restart the queue.\n{log}\nKeep to UTC, always."}
    text = all_text(compact_messages(messages, budget=tokens_of(messages) // 5).messages)
    assert "Never restart the queue." in text and "Keep to UTC, always." in text


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            {
                "role": "assistant",
                "content": "Threads deadlock because the connection is shared: I dropped them.",
            },
            None,
        ),
        ({"role": "assistant", "content": "State: 3 of 7 endpoints are ported, refunds is next."}, None),
        ({"role": "assistant", "content": "Decision: ship the smaller wheel and ask for a mirror."}, None),
        (
            {"role": "assistant", "content": "The culprit was a stale lease. We will renew it each hour."},
            None,
        ),
        ({"role": "assistant", "content": "The pump was set to local. It has Mode=remote now."}, None),
        ({"role": "assistant", "content": "Ferry wins over train with five votes to four."}, None),
        (
            tool_turn(
                "z", 'HTTP/1.1 422 Unprocessable Entity\ncontent-type: text/json\n\n{"error": "no total"}'
            ),
            "HTTP/1.1 422 Unprocessable Entity",
        ),
        (
            tool_turn("z", "[812.1] mlx5_core 0000:3b:00.0: health poll failed, fw reset needed"),
            "health poll failed, fw reset needed",
        ),
    ],
)
def test_what_assistants_conclude_and_what_failed_stands_before_what_tools_gave(
    message: Any, kept: str | None
) -> None:
    turns = [
        tool_turn(f"c{n}", "\n".join(f"def f{n}_{k}(x):\n    return x * {k} + {n}" for k in range(25)))
        for n in range(40)
    ]
    planted = message if isinstance(message, list) else [message]
    messages = [
        {"role": "user", "content": "Make the export faster."},
        *(one for turn in turns[:12] for one in turn),
        *planted,
        *(one for turn in turns[12:] for one in turn),
    ]
    text = all_text(compact_messages(messages, budget=1500).messages)
    assert (kept or message["content"]) in text


def test_the_room_is_used_where_all_that_was_said_hardly_fits() -> None:
    """What stands before each quote counts where it is found out whether all of them fit."""
    talk = "The curves have the same shape as last week, with the usual bump around noon. "
    messages = [
        {
            "role": role,
            "content": f"What about part {turn}? {talk}" if role == "user" else f"{turn}: {talk * 2}",
        }
        for turn in range(150)
        for role in ("user", "assistant")
    ]
    for budget in (1100, 1500):
        assert compact_messages(messages, budget=budget).tokens > 0.9 * budget


def asked(*dialogue: tuple[str, str], turns: int = 12) -> list[dict[str, Any]]:
    """A session in whose middle an assistant asks and a user answers."""
    messages = session(turns)
    roles, middle = ("assistant", "user"), len(messages) // 2
    before = [one for one in messages[:middle] if one["role"] != "user"]
    answers = [
        {"role": role, "content": text} for pair in dialogue for role, text in zip(roles, pair, strict=True)
    ]
    return [messages[0], *before, *answers, *messages[middle:]]


@pytest.mark.parametrize("asks", [False, True])
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("May I truncate the log of bookings?", "no"),
        ("Soll der alte Server abgeschaltet werden?", "Nein."),
        ("How many days may a hold last?", "45"),
        ("Do you prefer (1) a nightly job or (2) a trigger?", "2"),
        ("Should this be a trigger or a nightly job?", "trigger, please"),
        ("是否删除旧表？", "不"),
    ],
)
def test_a_short_answer_stands_behind_its_question(question: str, answer: str, asks: bool) -> None:
    messages = asked((f"I looked at the schema. {question}", answer))
    query = question if asks else None
    result = compact_messages(messages, budget=int(0.2 * tokens_of(messages)), query=query)
    lines = excerpts(result.messages)
    at = next(at for at, line in enumerate(lines) if question in line)
    assert re.fullmatch(rf"user \d+: {re.escape(answer)}", lines[at + 1])


def test_an_answer_is_stated_elsewhere_only_where_its_question_is_too() -> None:
    pair = ("Which port, 7070 or 7071?", "7071")
    messages = asked(pair, pair, ("Is the port 7071 free?", "yes, 7071"))
    first = next(at for at, message in enumerate(messages) if message["content"] == "7071")
    reasons = {}
    for budget in (80, 90, 100, 120, 150, 600):
        result = compact_messages(messages, budget=budget)
        stands = "\n".join(excerpts(result.messages)).count(pair[0])
        reasons[stands] = result.accounts[first].reason
    assert reasons == {0: "budget", 1: "stated_elsewhere"}


def test_an_agreement_to_go_on_takes_no_room() -> None:
    messages = asked(("That is page 3. Shall I continue?", "yes"))
    result = compact_messages(messages, budget=int(0.2 * tokens_of(messages)))
    assert not any(line.startswith("user") and line.endswith(": yes") for line in excerpts(result.messages))


def routine(turns: int, call: str = "grep") -> list[dict[str, Any]]:
    """Turns of tools whose rows are full of identifiers."""
    rows = [
        [f"src/part_{n}{t}.py:{n * 31 + t}: return parse_{n}{t}(value)" for n in range(9)]
        for t in range(turns)
    ]
    return [
        message
        for turn, lines in enumerate(rows)
        for message in tool_turn(f"{call}{turn}", "\n".join(lines), call, json.dumps({"pattern": f"p{turn}"}))
    ]


def folded(middle: list[dict[str, Any]], share: float = 0.25) -> str:
    messages = [
        {"role": "user", "content": "Bring the totals in order."},
        *routine(8),
        *middle,
        *routine(14, "find"),
    ]
    messages.append({"role": "user", "content": "How far are we?"})
    return all_text(compact_messages(messages, budget=int(share * tokens_of(messages))).messages)


@pytest.mark.parametrize(
    "said",
    [
        "The median per sale came out at 71.25.",
        "Raised the limit: `sysctl -w fs.file-max=70000` before the run.",
        "Committed as 9c41be2 on branch totals.",
        "I will leave the invoice module alone.",
        "My first guess missed. We are back on 4.7.1.",
    ],
)
def test_what_an_assistant_states_in_a_short_message_stands_before_rows_of_tools(said: str) -> None:
    assert said in folded([{"role": "assistant", "content": said}])


def test_what_an_assistant_is_about_to_do_is_no_statement() -> None:
    text = folded(
        [{"role": "assistant", "content": f"Let me look at part_{n}.py first."} for n in range(9)], 0.15
    )
    assert "Let me look" not in text


@pytest.mark.parametrize(
    ("question", "answer", "wanted"),
    [
        ("Which month shall the year begin with? Both are prepared.", "the second", ["Which month"]),
        ("Shall I drop empty rows? And keep the header?", "no, yes", ["drop empty rows", "keep the header"]),
        ("Tell me whether holidays count as days.", "they do", ["whether holidays count"]),
        (
            "How are ties broken?\n- by name\n- by date\n- at random",
            "the third",
            ["How are ties broken?", "at random"],
        ),
        ("**Round the cents?**\n\nI would say yes.", "no", ["Round the cents?"]),
        ("I read it. I will delete the folder legacy/ now.", "no, don't", ["delete the folder legacy/"]),
        ("Ich lösche jetzt den Ordner alt/.", "nein", ["lösche jetzt den Ordner alt/"]),
    ],
)
def test_a_short_answer_stays_with_all_that_was_asked(question: str, answer: str, wanted: list[str]) -> None:
    text = folded([{"role": "assistant", "content": question}, {"role": "user", "content": answer}])
    assert answer in text
    for part in wanted:
        assert part in text


def test_of_lists_told_anew_and_results_of_one_call_the_newest_stands() -> None:
    tasks = ["read the ledger", "sum the months", "write the report", "send it to Ines"]
    middle: list[dict[str, Any]] = []
    for done in range(4):
        state = [{"task": task, "state": "done" if at < done else "open"} for at, task in enumerate(tasks)]
        middle += tool_turn(f"plan{done}", "noted", "set_plan", json.dumps({"plan": state}))
        middle += tool_turn(
            f"rate{done}", json.dumps({"pair": "EURUSD", "rate": 1.08 + done / 100}), "rate", "{}"
        )
        middle += routine(2, f"more{done}")
    text = folded(middle)
    assert '{"task": "write the report", "state": "done"}' in text
    assert '"rate": 1.11' in text


def test_the_lines_that_a_second_read_of_a_file_has_anew_stand() -> None:
    file = [f"def step_{n}(row):\n    return row[{n}] * {n + 2}\n" for n in range(30)]
    before, after = ("\n".join([f"RETRIES = {tries}", *file]) for tries in (3, 11))
    middle = [*tool_turn("r1", before, "read", '{"path": "a.py"}'), *routine(4, "x")]
    middle += tool_turn("r2", after, "read", '{"path": "a.py"}')
    assert "RETRIES = 11" in folded(middle)


ASKING = ["AskUserQuestion", "request_user_input", "ExitPlanMode", "ask_human", "elicit_input", "submit_plan"]


@pytest.mark.parametrize("tool", ASKING)
@pytest.mark.parametrize("answer", ["Keep the old ledger readable until March.", "7.5"])
def test_what_the_user_answers_to_a_tool_stands_with_the_question(tool: str, answer: str) -> None:
    text = folded(tool_turn("q", answer, tool, json.dumps({"question": "What about the ledger?"})))
    assert answer in text and "What about the ledger?" in text


@pytest.mark.parametrize(
    "told",
    [
        "The user denied this operation. They said: never empty the outbox of Mondays.",
        "<feedback>\nNever empty the outbox of Mondays.\n</feedback>",
    ],
)
def test_what_the_user_says_in_the_result_of_any_tool_stands(told: str) -> None:
    text = folded(tool_turn("q", told, "shell", json.dumps({"command": "rm outbox"})))
    assert "ever empty the outbox of Mondays" in text


def test_what_a_tool_tells_of_a_user_is_not_what_the_user_says() -> None:
    users = [{"id": f"U-{n}", "name": f"Name {n}", "zip": 10000 + n} for n in range(40)]
    text = folded(
        [
            *tool_turn("u", json.dumps(users), "get_user_details", "{}"),
            {"role": "user", "content": "Never call U-7."},
        ]
    )
    assert "Never call U-7." in text and text.count('"zip"') < 12


@pytest.mark.parametrize(
    "said",
    [
        "The leak sits in the socket handler.",
        "Nobody calls it any more.",
        "Der Fehler liegt im Zwischenspeicher.",
    ],
)
def test_a_short_finding_without_figures_stands_before_rows(said: str) -> None:
    rows = "\n".join(f"A{n},Kettle,{n % 7},3.{n % 90:02}" for n in range(1000, 1120))
    middle = [{"role": "assistant", "content": said}, *tool_turn("t", rows, "query", "{}"), *routine(2, "m")]
    assert said in folded(middle)


@pytest.mark.parametrize("budget", [200, 900])
def test_lines_that_only_count_up_take_one_line_of_excerpts_and_of_shorter_results(budget: int) -> None:
    messages = [{"role": "user", "content": "Check all rows."}]
    for name in ("rows", "lines"):
        messages += tool_turn(name, "\n".join(f"{name} {n} ok" for n in range(2000)), f"check_{name}", "{}")
        messages.append({"role": "user", "content": f"And what is left of the {name}?"})
    text = all_text(compact_messages(messages, budget=budget).messages)
    assert "rows 0 ok" in text and "rows 1 ok" not in text
    assert len(re.findall(r"lines \d+ ok", text)) <= 1


LOG = [
    f"2025-02-03 04:{n // 3:02}:{n % 60:02} INFO shard-{n % 4} wrote block {n * 37} in {n % 29} ms"
    for n in range(90)
]


@pytest.mark.parametrize("fence", ["```\n{}\n```", "\n{}\n", "{}"])
@pytest.mark.parametrize("question", ["Can you mend it?", "Woran liegt das?", "Please mend this first."])
def test_of_a_log_that_a_user_pastes_the_failure_and_the_words_around_it_stand(
    fence: str, question: str
) -> None:
    lines = [*LOG[:60], "ERROR: cannot write shard 7: disk quota exceeded", *LOG[60:]]
    pasted = fence.format("\n".join(lines))
    text = folded(
        [{"role": "user", "content": f"It broke tonight, here is the log:\n{pasted}\n{question}"}], 0.2
    )
    for part in ("It broke tonight, here is the log:", "disk quota exceeded", question):
        assert part in text


@pytest.mark.parametrize(
    ("call", "result", "fact"),
    [
        (
            "get_customer",
            json.dumps(
                {"name": "Orla", "on_hold": True, "orders": [{"no": n, "sum": n * 7} for n in range(30)]}
            ),
            '"on_hold": true',
        ),
        (
            "deploy",
            "\n".join([*LOG[:40], "--- FAIL: TestTotals/leap_year", "FAIL", *LOG[40:44]]),
            "leap_year",
        ),
        (
            "plan",
            "\n".join(
                [f'  + resource "bucket" "b{n}" {{' for n in range(60)] + ["Plan: 60 to add, 1 to destroy."]
            ),
            "1 to destroy",
        ),
    ],
)
def test_what_stands_alone_in_a_long_result_stands_among_excerpts(call: str, result: str, fact: str) -> None:
    lists = [json.dumps([{"no": n, "sum": n * turn} for n in range(30)]) for turn in range(3)]
    middle = [one for turn, rows in enumerate(lists) for one in tool_turn(f"l{turn}", rows, "orders", "{}")]
    assert fact in folded([*middle, *tool_turn("t", result, call, "{}")])


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (
            "apply_patch",
            {"input": "*** Update File: ledger.css\n@@\n-  --edge: #10141a;\n+  --edge: #fafbfc;"},
        ),
        (
            "Edit",
            {"file_path": "ledger.css", "old_string": "--edge: #10141a", "new_string": "--edge: #fafbfc"},
        ),
    ],
)
def test_what_a_short_edit_changed_stands(tool: str, arguments: dict[str, str]) -> None:
    assert "#fafbfc" in folded(tool_turn("e", "Success", tool, json.dumps(arguments)), 0.15)


@pytest.mark.parametrize(
    "done",
    [
        "I have moved the delivery to 14 March.",
        "Ich habe die Lieferung auf Freitag gelegt.",
        "J'ai reporté la livraison au 14 mars.",
        "He movido la entrega al 14 de marzo.",
        "Agendei a entrega para 14 de março.",
    ],
)
def test_what_an_assistant_has_done_stands_before_what_else_it_says(done: str) -> None:
    more = "Deliveries come between eight and noon, and somebody has to be at home to take them in. "
    assert done in folded([{"role": "assistant", "content": f"{more * 4}{done} {more * 4}"}], 0.15)


@pytest.mark.parametrize("answer", ["go", "yes", "do it"])
@pytest.mark.parametrize("proposal", ["I want to move the index to disk 4.", "I'd drop the old index."])
def test_a_go_ahead_stands_with_what_was_proposed(proposal: str, answer: str) -> None:
    text = folded([{"role": "assistant", "content": proposal}, {"role": "user", "content": answer}])
    assert re.search(rf"{re.escape(proposal)}\nuser \d+: {answer}\n", text)


def test_of_a_failure_that_a_list_and_the_trace_below_it_name_one_line_goes_before_others() -> None:
    """So each of the places has room."""
    names = ["opens_closed", "rounds_down", "keeps_order", "reads_empty", "ends_early", "skips_blank"]
    listed = [f"test_{name} (orders.tests.Ledger) ... FAIL" for name in names]
    traces = [
        f"FAIL: test_{name} (orders.tests.Ledger)\nTraceback (most recent call last):\n"
        f'  File "/srv/shop/orders/tests.py", line {90 + 7 * at}, in test_{name}\n    self.check({at})'
        for at, name in enumerate(names)
    ]
    passed = [f"test_case_{at} (orders.tests.Ledger) ... ok" for at in range(80)]
    log = "\n".join([*passed[:40], *listed, *passed[40:], "=" * 60, *traces])
    messages = [
        {"role": "user", "content": "Run the tests."},
        *tool_turn("a", log),
        {"role": "assistant", "content": "I see. " * 200},
        {"role": "user", "content": "Go on."},
    ]
    text = all_text(compact_messages(messages, budget=300).messages)
    assert [name for name in names if f"FAIL: test_{name}" not in text] == []
    assert [at for at in range(6) if f"line {90 + 7 * at}," not in text] == []


@pytest.mark.parametrize(
    ("said", "core"),
    [
        ("By the way, the cat travels in the cabin.", "the cat travels in the cabin."),
        (
            "As we discussed earlier, please use the staging key for now.",
            "please use the staging key for now.",
        ),
        (
            "Please note that the second booking has to stay as it is.",
            "the second booking has to stay as it is.",
        ),
        (
            "HARD CONSTRAINT: Report all times in the zone of Lisbon.",
            "Report all times in the zone of Lisbon.",
        ),
        ("Wie besprochen, bitte nur den Testserver nehmen.", "bitte nur den Testserver nehmen."),
        ("对了，请不要改动生产数据库。", "请不要改动生产数据库。"),
        *[
            (said, said)
            for said in (
                "As I am allergic to nuts, skip the snack on the way.",
                "Unless I say so, never touch the config of production.",
                "BILLING RULE: never touch the config of production.",
                "Deadline: the third of June, before noon.",
                "Correction: it is the Boston office, not the Austin one.",
                "In production, read from the replica alone.",
                "Yes, charge both of the cards as planned.",
                "By the way, go ahead.",
            )
        ],
    ],
)
def test_what_leads_into_a_sentence_is_told_from_what_it_says(said: str, core: str) -> None:
    assert said[int(led_into([said])[0]) :] == core


TOLD = """\
the blue crates go to the shop in Lyon|the invoices have the new logo|our guide in Porto is Helga
lunch on the boat is paid for|the van has room for nine people|the key hangs behind the map
both dogs travel with my sister|the concert ends before the last train|the printer takes thick paper alone
the red tent has a hole near the door|my cousin brings the large table|the harbour office opens late
the second ferry carries no bicycles|the garden gate sticks in winter|our neighbour waters the tomatoes
the choir sings without a piano"""


def test_where_sentences_would_go_what_leads_into_them_goes_first() -> None:
    leads = ["By the way, ", "Just so you know, ", "As I said before, ", "FACT: "]
    told = re.split(r"[|\n]", TOLD)
    asked = [f"{leads[at % 4]}{said}." for at, said in enumerate(told)]
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Let us plan the trip of the club."}]
    for said in asked:
        messages += [{"role": "user", "content": said}, {"role": "assistant", "content": "Noted."}]
    messages.append({"role": "user", "content": "Go on."})
    for budget, least in ((320, 16), (280, 10), (240, 0)):
        result = compact_messages(messages, budget=budget)
        text = all_text(result.messages)
        there = sum(one in text for one in told)
        assert there >= (16 if least else 13)
        assert sum(one in text for one in asked) >= least
        assert sum(map(text.count, leads)) <= there  # nothing leads into what is not there
        assert any(account.lost for account in result.accounts) is (there < 16)
