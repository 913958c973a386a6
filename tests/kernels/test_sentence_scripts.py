"""Where sentences end in scripts with their own marks, and in Thai, which has none."""

from __future__ import annotations

import pytest
import tersely

SPACED: dict[str, list[str]] = {
    "Arabic": ["هل وصل القارب؟", "نعم وصل.", "لم يره أحد!"],
    "Urdu": ["یہ کشتی ہے۔", "وہ بندرگاہ ہے۔"],
    "Hindi": ["नाव आ गई।", "किसी ने नहीं देखा।"],
    "Sanskrit verse": ["नौः आगता॥", "कोऽपि न अपश्यत्॥"],
    "Armenian": ["Նավը եկավ։", "Ոչ ոք չտեսավ։"],
    "Amharic": ["ጀልባው መጣ።", "ማንም አላየም።"],
    "Burmese": ["လှေ ရောက်ပြီ။", "ဘယ်သူမှ မမြင်ဘူး။"],
    "Khmer": ["ទូកមកដល់ហើយ។", "គ្មាននរណាឃើញទេ។"],
    "Tibetan": ["གྲུ་འབྱོར་སོང་།", "སུས་ཀྱང་མ་མཐོང་།"],
    "Korean": ["배가 도착했습니다.", "아무도 보지 못했습니다.", "정말입니까?"],
}
TIGHT: dict[str, list[str]] = {
    "Japanese": ["船が着いた。", "誰も見なかった。", "本当か？", "本当だ！"],
    "Chinese": ["船到了。", "没有人看见。", "真的吗？", "真的！"],
    "half width stop": ["船が着いた｡", "誰も見ない｡"],
    "quote inside": ["他说：“船到了。”", "然后他走了。"],
    "corner brackets": ["「船が着いた。」", "彼は言った。"],
    "Hindi without a space": ["नाव आ गई।", "कोई नहीं था।"],
    "latin inside": ["私はv1.2を使う。", "Aさんは3.5を使う。"],
    "full width bracket": ["（船到了。）", "他走了。"],
}


def sentences(text: str) -> list[str]:
    return [text[start:end] for _, start, end, _ in tersely.segment(text)]


@pytest.mark.parametrize("name", SPACED)
def test_X78_marks_before_a_space(name: str) -> None:
    assert sentences(" ".join(SPACED[name])) == SPACED[name]


@pytest.mark.parametrize("name", TIGHT)
def test_X78_marks_that_need_no_space(name: str) -> None:
    assert sentences("".join(TIGHT[name])) == TIGHT[name]


def test_nothing_ends_inside_a_title() -> None:
    assert sentences("我读了《你好。世界》这本书。很好。") == ["我读了《你好。世界》这本书。", "很好。"]


THAI_CLAUSES = ["เรือลำใหญ่ออกจากท่าตั้งแต่เช้ามืดก่อนที่ฝนจะตก", "ไม่มีใครเห็นมันกลับมาอีกเลยจนกระทั่งวันต่อมา"]


def test_X78_thai_ends_at_a_space_after_about_forty_characters() -> None:
    assert all(len(clause) >= 40 for clause in THAI_CLAUSES)
    assert sentences(" ".join(THAI_CLAUSES)) == THAI_CLAUSES


def test_thai_does_not_end_at_a_space_after_few_characters() -> None:
    assert sentences("เรือออก ฝนตก คนกลับ") == ["เรือออก ฝนตก คนกลับ"]


def test_scripts_in_one_line() -> None:
    text = "The boat came. 船到了。نعم وصل. Нет!"
    assert sentences(text) == ["The boat came.", "船到了。", "نعم وصل.", "Нет!"]
