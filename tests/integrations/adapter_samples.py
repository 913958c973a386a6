"""What the tests of the adapters give to each framework."""

from __future__ import annotations

QUERY = "What does the sluice fee come to?"

#: (id, title, text)
DOCUMENTS = [
    (
        "harbour",
        "Harbour rules",
        "The harbour opens at six. Boats wait behind the mole.\n\nThe sluice fee is 4 euros for boats "
        "under ten metres. It is paid at the lock, in coins. Nobody gives change.",
    ),
    (
        "weather",
        "Weather of the week",
        "Rain on Monday, and on Tuesday. The wind turns to the west on Wednesday, and gulls come inland. "
        "On Thursday it clears up. Friday stays dry until the evening.",
    ),
    (
        "council",
        "Minutes of the council",
        "The council met in May. It raised the sluice fee for long boats to 7 euros.\n\n- Mrs Olsen was "
        "against it.\n- Mr Dahl abstained.\n\nThe next meeting is in June. Coffee was served. The windows "
        "stay as they are.",
    ),
]

#: The second says what the first says; the third and fourth do not.
TWICE = [
    "The sluice fee is 4 euros for boats under ten metres.",
    "The  sluice fee is 4 euros for boats under ten metres",
    "The sluice fee is 5 euros for boats under ten metres.",
    "The sluice fee is not 4 euros for boats under ten metres.",
]
