"""What the lines of stack traces look like, as run-times print them. Matched at the start of a line."""

from __future__ import annotations

import re

__all__ = [
    "BEGIN",
    "CAUSE",
    "ESCAPE",
    "FRAME",
    "LIBRARY",
    "NAMED_ABOVE",
    "NUMBERED_CAUSE",
    "RUBY_THROWN",
    "THROWN",
]

ESCAPE = re.compile(
    r"\x1b(?:\[[^@-~]*[@-~]?|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[A-Za-z])?"
)  # colours, links of terminals
FRAME = re.compile(
    r"\s+at |\s*#\d+\s|\s+/?\S+\.go:\d|\s+from \S+:\d+:in |\s*\.{3} \d+ (?:more|common frames)|"
    r"\s*(?:[|+] +)*File \"|"  # Python, in groups of exceptions too
    r"\s+\d+: ++(?:\S+\s*$|.*::)|"  # Rust
    r"\s*(?:\d+: from |[\w-]+ \(\d[\w.]*\) )?\S+:\d+:in |"  # Ruby
    r"[^\s@]*@(?:https?|file|webpack)\S*:\d+\s*$|"  # SpiderMonkey
    r"PHP +\d+\. |\d+ +\S+ +0x[0-9a-f]{8}|"  # Xdebug; Swift
    r"\s+(?:\([\w.-]+ \d[^)]*\) )?\S+\.exs?:\d+: |"  # Elixir
    r"\s+(?:\S+:\d+|\[C\]): in |"  # Lua
    r"\s+\[\d+\] \S|\s+@ \S|"  # Julia
    r"\s+[^\s(,]+(?:\(.*\)|,) called at "  # Perl; Haskell
)
RUBY_THROWN = re.compile(r"\s*\S+:\d+:in [`'][^']*': .*\([A-Z][\w:]*\)\s*$")
CAUSE = re.compile(
    r"\s*(?:Caused by: |Suppressed: |Wrapped by: |\[cause\]: |---> |During handling of the above|"
    r"The above exception was|Caused by:$)"
)
NUMBERED_CAUSE = re.compile(r"\s+\d+: (?!.*::)")  # below "Caused by:", of Rust's anyhow
THROWN = re.compile(
    r"\s{0,8}(?:[|+] +)*(?:[^\s:]{1,40}:? ){0,3}(?:[\w$.]{1,80}\.)?"
    r"(?:[A-Z]\w{0,60}(?:Error|Exception|Failure|Fault|Interrupt|Exit)|(?:Base)?ExceptionGroup)\b"
    r"|[A-Z]\w{0,60}(?:::[A-Z]\w{0,60}){1,9} \("
    r"|Error: |(?:PHP )?Fatal error: |\*\* \("
    r"|\S.{0,300} at \S{1,200} line \d{1,7}\.$"  # Perl
)
BEGIN = re.compile(
    r"\s*(?:[|+] +)*(?:Exception Group )?Traceback \(most recent call last\)|"
    r"\s*(?:goroutine \d+ |panic: |thread '[^']*'(?: \(\d+\))? panicked|"
    r"Exception in thread|Unhandled exception|Fatal Python error|==\d+==\s*ERROR|Program received signal|"
    r"SIG[A-Z]+)"
)
#: Lines above which, in some languages, stands what was thrown.
NAMED_ABOVE = re.compile(
    r"(?:PHP )?[Ss]tack (?:trace|traceback|backtrace):|\[?[Ss]tacktrace[\]:]|Current stack trace|CallStack \("
)
#: What frames of libraries and run-times look like.
LIBRARY = re.compile(
    r"site-packages|dist-packages|/usr/lib|/lib/python\d|<frozen |node_modules|node:|\binternal/|\(native|"
    r"\bat (?:java|javax|jdk|sun|kotlin|kotlinx|scala|groovy|com\.sun|io\.netty|System|Microsoft)\.|"
    r"\bat org\.(?:springframework|apache|hibernate|junit|eclipse|jboss|gradle)\.|/usr/local/go/src|"
    r"\bat (?:new |async )?(?:Array|Promise|Map|Set)\.?\w* \(|"
    r"\bruntime[./]|/rustc/|/\.cargo/|\b(?:std|core|alloc|tokio|__gnu_cxx)::|\brust_begin_unwind|"
    r"__libc_|libc\.so|libstdc\+\+|/usr/include|\b_start\b|__interceptor_|/gems/|/ruby/|^[\w-]+ \(\d|"
    r"/vendor/|\[internal function\]|\{main\}$|libswift|libdispatch|libsystem|dart:|"
    r"^\s+\((?:elixir|stdlib|phoenix\w*|plug\w*|ecto\w*|cowboy\w*|bandit) \d|\[C\]: in|@ Base|/base/GHC/"
)
