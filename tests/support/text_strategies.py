"""Hypothesis strategies for texts that are likely to hit a rule."""

from __future__ import annotations

from hypothesis import strategies as st

PIECES = [
    "The kettle boiled dry. ", "Nobody heard it! ", "Why not? ", "Dr. Amari left at 4 p.m. on Friday. ",
    "It cost 3.75, not 1,200.50. ", "See https://example.org/a.b?c=d!e for more. ",
    "Open main.py, then v2.10.3. ", "no capitals here. none at all ", "Wait... what? ", "(An aside.) ",
    "“Quoted.” ", "a", "B", "7", "é", "İ", "ß", "_", "今日は晴れです。", "明日も。", "他说：“好。”",
    "한국어 문장입니다. ", "《书名。》", "ไทยไม่มีช่องว่าง", "ประโยคต่อไป ", "هل أنت هنا؟ ", "یہ گھر ہے۔ ",
    "यह घर है। ", "Սա տուն է։ ", "ይህ ቤት ነው። ", " ", "  ", "\t", "\n", "\n\n", "\r\n", "\r", "\x0b", "\x0c",
    "\x1c", "\x85", "\u00a0", "\u2003", "\u2028", "\u3000", "\x00", "\x07", "\ufeff", "\u200b", "\u0301",
    "e\u0301\u0323", "👩‍👩‍👧‍👦", "🏳️‍🌈", "𝔘", "\U0010ffff", "\ufffd", ".", "..", "...", ". . .", "!",
    "?!", "…", "。", ")", "]", "[12]", "[...]", '"', "'", "»", "«", "*", "**", ":)", ";", "# Heading\n",
    "## 2.1 Methods\n", "Title\n=====\n", "METHODS AND MEANS\n\n", "- item one\n", "* two\n", "1. first ",
    "2. second ", "a) one b) two ", "• dot • dot\n", "> quoted line\n", "| a | b |\n|---|---|\n",
    "| 1 | 2 |\n", "+--+--+\n", "```python\n", "x = [1, 2]\n", "```\n", "~~~\n", "    indented();\n", "{\n",
    '"key": 1,\n', "}\n", "return x;\n", "2024-03-05 10:11:12 ERROR disk full\n", "[INFO] started\n",
    "Jun 14 15:16:01 host app: up\n", "User: hello\n", "Assistant: hi\n", "Jane Doe: yes\n", "---\n",
    "snake_case_name ", "camelCaseName ", "1.", "1)", "-", "#", ">", "|",
]  # fmt: skip

characters = st.characters(exclude_categories=["Cs"])
fragments = st.one_of(
    st.sampled_from(PIECES),
    st.sampled_from(PIECES),
    st.text(characters, max_size=6),
    st.text("ab .!?\n\r", max_size=8),
)
texts = st.lists(fragments, max_size=25).map("".join)
some_texts = st.lists(texts, max_size=4)
