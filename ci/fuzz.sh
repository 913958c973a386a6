#!/usr/bin/env bash
# libFuzzer (with ASan, UBSan and the leak check) over text, selection, tokens, JSON, lines and code. A crash fails and leaves its
# input in build/fuzz. ci/fuzz.sh SECONDS runs each target so long.
# inputs: csrc CMakeLists.txt tests/fuzz
# tools: clang++
# minutes: 15
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=ci/shared.sh
source ci/shared.sh
seconds=${1:-20}
build=build/fuzz
with_tools
cmake -S . -B "$build" -G Ninja --log-level=WARNING \
  -DCMAKE_CXX_COMPILER=clang++ -DTERSELY_FUZZ=ON -DTERSELY_WERROR=ON >/dev/null
cmake --build "$build" -- --quiet

seeds="$build/corpus/text"
mkdir -p "$seeds" "$build/corpus/"{select,wordpiece,tokens,json,detect,lines,code}
printf '# Title\n\nFirst sentence. Dr. Smith paid 3.14 USD (see fig. 2)! "Really?" he asked.\n' >"$seeds/prose"
printf '1. one\n2. two\n   - nested; a, b\n\n> quote\n\n| a | b |\n|---|---|\n| 1 | 2 |\n' >"$seeds/markdown"
printf '```py\ndef f(x):\n    return snake_case + camelCase\n```\n\n    indented code\n' >"$seeds/code"
printf '2024-01-31 10:30:00 ERROR v1.2.3 failed\r\nUser: hello\r\nAssistant: hi\r\n' >"$seeds/log"
printf '一二三。「四五」!ภาษาไทย ไม่มีจุด ครับ। हिन्दी। 日本語。e\xcc\x81\xe2\x80\xa8\xff\xed\xa0\x80' >"$seeds/scripts"
printf 'word, %.0s' {1..500} >"$seeds/long"
head -c 3000 /dev/zero | tr '\0' x >"$seeds/unbroken"
printf '\0\1\2\3\4\5\6\7%.0s' {1..40} >"$build/corpus/select/counting"
printf '%s' {200..1} >"$build/corpus/select/digits"
# Words, each ended by a backslash and a space, then a text; numbers are read from the end.
printf 'the\\ ##re\\ un\\ ##a\\ [SEP]\\ \xe1\x84\x80\\ There [SEP]un\xe2\x80\x8bre\xcc\x81a\xea\xb0\x80, unathe\\ \2\6' \
  >"$build/corpus/wordpiece/words"
printf 'x\\ ##x\\ ##xx\\ %s\\ \3\3' "$(printf 'xX%.0s' {1..51})" >"$build/corpus/wordpiece/long"

printf '\1\5 the re\\ing\\ He\x27LL say:\n\n  12345 na\xc3\xafve \xc5\xbf\xcc\x81A  ==//\r\n \3\2\11' >"$build/corpus/tokens/words"
printf '%s\\ %s\20\40' "$(printf 'ab%.0s' {1..400})" "$(printf ' %.0s' {1..99})" >"$build/corpus/tokens/long"

printf '{"a": [1, -2.5e3, true, null, "x\\u00e9\\ud83d\\ude00"], "b": {"c": []}}' >"$build/corpus/json/object"
printf '[%s{"id": 9, "s": "no"}]' "$(printf '{"id": 1, "s": "ok"}, %.0s' {1..12})" >"$build/corpus/json/rows"
printf '{"n": 1}\n{"n": 2, "text": "%s"}\n' "$(printf 'word %.0s' {1..60})" >"$build/corpus/json/lines"
printf '\xef\xbb\xbf {"a": 1}' >"$build/corpus/json/marked"

printf '{"a": [1, "x\\""]}\n{"b": null}\n' >"$build/corpus/detect/json"
printf 'a,b,c\n1,"x, ""y""\n",2\n3,4,5\n| a | b |\n|---|:-:|\n' >"$build/corpus/detect/table"
printf '<!DOCTYPE html><p a="b>">x <b>y</b><!-- z --><script>if (a</b) {}</script><svg><![CDATA[ q ]]>' >"$build/corpus/detect/html"
printf '@@ -1,2 +1 @@\n-a\n+b\n2024-01-02 10:11:12 ERROR a.c:3:4: error: x\n\033[1mok\033[0m\n' >"$build/corpus/detect/log"
printf 'Traceback (most recent call last):\n  | File "a.py", line 3, in f\n    x\n\ta.rb:1:in `b\x27\n#0 a.php(3): f()\n 1: a::b\nE: 12, 0: no\n' \
  >"$build/corpus/detect/trace"

# A step, a query's length, a query, then the log.
printf '\7\5req-1 10:00:00 INFO req-1 a.c:3\r\n10:00:01 ERROR "x y" (req-1)\r50%%\r\n\033[31m  at f(a.js:1:2)\n' >"$build/corpus/lines/log"
printf '\100\0%s' "$(printf 'Jun 14 15:16:0%s host p[%s]: no %s\n' {1..60})" >"$build/corpus/lines/syslog"

# A language (the first byte), then its source.
code="$build/corpus/code"
printf '0@d(1,\n  2)\ndef f(a: int) -> None:\n    # c\n    """D.\n\n    E\n    F\n    """\n    if a:\n\tx = f"{a["b"]:>{n}}"\n    else: pass\n' >"$code/python"
printf '1import {\n a,\n} from "b";\nexport const f = async (a) => {\n  return /[/]"/.test(`${a + "}"}`)\n}\ntype T =\n  | "a"\n' >"$code/script"
printf '3#![x]\nuse a::{\n b};\n#[d]\npub fn f<%sa>(x: &%sa str) {\n  match x { _ => r#"}"# }\n}\n' "'" "'" >"$code/rust"
printf '5#ifdef A\nint f(int a) {\n  switch (a) {\n  case 1:\n    return R"x(})x";\n  }\n}\n#else\n#define B \\\n 1\n#endif\n' >"$code/c"

for target in text select wordpiece tokens json detect lines code; do
  log="$build/$target.log"
  "$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 -max_len=8192 -verbosity=0 \
    -print_final_stats=1 -artifact_prefix="$build/$target-" "$build/corpus/$target" >"$log" 2>&1 || { cat "$log"; exit 1; }
  printf '%s: %s inputs\n' "$target" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
done
