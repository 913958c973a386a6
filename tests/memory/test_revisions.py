"""Newer wins: what people say anew of a thing stands, what it replaces goes and is not lost."""

from __future__ import annotations

import pytest
from histories import all_text, tokens_of
from tersely.memory import Compactor, compact_messages
from tersely.memory.messages import read_messages
from tersely.memory.revisions import find_revisions
from tersely.memory.statements import read_transcript

REPLACED = [
    ("The meeting room is 4B for the whole week.", "The meeting room is 7C for the whole week."),
    ("Keep the total under 640 dollars.", "Keep the total under 500 dollars."),
    ("Our contact at the bank is Ada Brill.", "Our contact at the bank is now Jo Marsh."),
    ("The backup runs at 02:00 every night.", "From now on the backup runs at 04:30 every night."),
    ("The passport number ends in 83.", "Correction: the passport number ends in 88, not 83."),
]
REWORDED = [
    ("The wedding will be held on 12 September.", "The ceremony moved to 3 October."),
    ("Log level should be INFO.", "Set logging to DEBUG from now on."),
    ("Answer my mails within two days.", "Update: reply to mails within four hours from now on."),
    ("The budget for catering is 5,000.", "Catering costs may now go up to 6,200."),
]
TOGETHER = [
    ("Never mail my work address about invoices.", "It's fine now to mail my work address about invoices."),
    ("Do not deploy the billing service on Fridays.", "Forget what I said of Fridays and billing service."),
]
BOTH_HOLD = [
    (
        "SAFETY RULE: Never name the code X-17 to anyone.",
        "SAFETY RULE: Ask a person instead of using tool Y-9.",
    ),
    ("Passenger two is Jo Ray, date of birth 1990-11-22.", "Actually, May 17, 2024 is a good date to leave."),
    ("In step 3 the key of region 4 must be rotated.", "In step 5 the key of region 6 must be rotated."),
    ("The production database is Postgres 15.", "The staging database is Postgres 13."),
    ("Delete row 14 of the sheet.", "Delete row 15 of the sheet."),
    ("Read the file src/parser/lexer.py first.", "Read the file src/parser/tables.py first."),
    ("My son Leo is allergic to nuts.", "My daughter Mia flies on the ninth of June."),
    (
        "USER PREFERENCE: User's contact code is LAI-92.",
        "USER PREFERENCE: User wants code in Python, not Go.",
    ),
    ("The rent for the studio is 1,450 a month.", "Update: the rent for the garage is now 190 a month."),
    ("Save photos to the folder holiday-23.", "From now on, save videos to the folder clips-24."),
    ("Do not restart db-7.", "Restart db-9 now."),
    ("Never deploy on Friday.", "Deploy on Thursday instead."),
    ("Do not email Anna.", "Email Bob instead."),
    ("Never remove the index idx_a.", "Remove the index idx_b now."),
    ("The API key of staging is in vault/staging.", "The API key of production is in vault/prod now."),
    ("The door code of the office is 4411.", "The door code of the garage is 5522 now."),
    ("The port of the web server is 8080.", "The port of the mail server is 2525 now."),
    ("My phone number is 555-0142.", "My wife's phone number is now 555-0177."),
    ("I'm allergic to penicillin, my weight is 80 kg.", "My weight is now 76 kg."),
    ("The head chef is Marco Bianchi.", "Lucia Ferri is now the head waiter."),
    ("Is the table audit used elsewhere?", "The table audit is now used elsewhere by team 7."),
]


def told(old: str, new: str) -> list[dict[str, str]]:
    """A long session in which somebody says one thing early and another one later."""
    messages = [{"role": "user", "content": "Help me with the office."}]
    for turn in range(40):
        said = {10: old, 25: new}.get(turn, f"Look at folder {turn} and tell me what is odd in it.")
        messages.append({"role": "user", "content": said})
        messages.append({"role": "assistant", "content": f"Folder {turn} has {turn * 7} files. " * 6})
    return messages


@pytest.mark.parametrize(("old", "new"), REPLACED)
def test_the_later_value_stands_and_the_earlier_is_gone_but_not_lost(old: str, new: str) -> None:
    messages = told(old, new)
    result = compact_messages(messages, budget=tokens_of(messages) // 3)
    text = all_text(result.messages)
    assert new in text and old not in text
    assert result.accounts[messages.index({"role": "user", "content": old})].lost == ()


@pytest.mark.parametrize(("old", "new"), REWORDED)
def test_of_one_thing_in_other_words_the_later_stands_and_the_earlier_goes_first(old: str, new: str) -> None:
    messages = told(old, new)
    (revision,) = find_revisions(read_transcript(read_messages(messages)))
    assert revision.effect == "older"
    for budget in range(150, 1500, 90):
        made = compact_messages(messages, budget=budget)
        text = all_text(made.messages)
        assert new in text or old not in text
        assert old in text or made.accounts[messages.index({"role": "user", "content": old})].lost


@pytest.mark.parametrize(("old", "new"), TOGETHER)
@pytest.mark.parametrize("share", [0.2, 0.4, 0.6])
def test_what_withdraws_an_instruction_stands_wherever_that_does(old: str, new: str, share: float) -> None:
    messages = told(old, new)
    text = all_text(compact_messages(messages, budget=int(share * tokens_of(messages))).messages)
    assert new in text or old not in text


def test_of_many_requests_of_one_form_the_newest_stand_and_what_came_of_the_others() -> None:
    messages = [{"role": "user", "content": "Help me with the tickets. Never close one yourself."}]
    for turn in range(40):
        messages.append({"role": "user", "content": f"Continue with ticket T-{100 + turn}."})
        messages.append(
            {"role": "assistant", "content": f"The cause of it was module m{turn}x, which I mended."}
        )
        messages += [
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": "I looked at it. " * 20},
        ]
    text = all_text(compact_messages(messages, budget=tokens_of(messages) // 10).messages)
    assert "Continue with ticket T-139." in text and text.count("Continue with ticket") < 6
    assert text.count("The cause of it was module") > 15


@pytest.mark.parametrize("new", ["Actually make it 20 MB.", "20 MB please, not 12."])
def test_a_correction_that_does_not_say_of_what_stands_with_what_it_corrects(new: str) -> None:
    messages = told(old := "The largest file has 12 MB.", new)
    text = all_text(compact_messages(messages, budget=tokens_of(messages) // 4).messages)
    assert old in text and new in text


@pytest.mark.parametrize(("old", "new"), BOTH_HOLD)
def test_other_things_of_one_form_both_hold(old: str, new: str) -> None:
    assert not [
        one
        for one in find_revisions(read_transcript(read_messages(told(old, new))))
        if one.effect == "replaced"
    ]
    messages = told(old, new)
    text = all_text(compact_messages(messages, budget=tokens_of(messages) // 2).messages)
    assert old in text and new in text


def test_also_where_a_compactor_meets_the_later_one_after_folding() -> None:
    old, new = REPLACED[0]
    messages = told(old, new)
    compactor = Compactor(1800)
    for length in range(1, len(messages) + 1, 3):
        result = compactor.compact(messages[:length])
    assert new in all_text(result.messages)
