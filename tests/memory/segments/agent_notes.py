"""Notes as agents write them, in many wordings, with what a short form of each must still say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["DEVELOPED_ON", "HELD_ASIDE", "AgentNote"]


@dataclass(frozen=True, slots=True)
class AgentNote:
    """A note of an agent about its work.

    Attributes:
        name: of the note.
        text: what the agent wrote.
        values: field -> what `extract_preserved_metadata` finds in it.
        facts: what a short form must still state, beside those: words, numbers and names.
    """

    name: str
    text: str
    values: dict[str, Any] = field(default_factory=dict)
    facts: tuple[str, ...] = ()

    @property
    def stated(self) -> tuple[str, ...]:
        """All that a short form must state."""
        return tuple(dict.fromkeys([*(str(value) for value in self.values.values()), *self.facts]))


#: The readers were developed on these.
DEVELOPED_ON = (
    AgentNote(
        "makefile",
        "At the moment I'm changing the Makefile, line 12, because the release target calls strip twice "
        "and the build then breaks on macOS. I already removed the duplicate call from the debug "
        "target, which was straightforward. What remains is to quote the path of the SDK, since it may "
        "well contain blanks on the machines of other people.",
        {"file_path": "Makefile", "line_number": 12},
        (
            "removed",
            "duplicate",
            "quote",
            "SDK",
        ),
    ),
    AgentNote(
        "resize",
        "The crash is in the resize method of src/widgets/canvas.cpp: it segfaults at line 310 as soon "
        "as the window is minimised and the height becomes 0. I added a guard for a height of zero, and "
        "that seems to have helped on X11. What remains is the same guard for Wayland, and a test which "
        "minimises the window and restores it again a few times in a row.",
        {"file_path": "src/widgets/canvas.cpp", "line_number": 310, "function_name": "resize"},
        (
            "guard",
            "zero",
            "Wayland",
            "test",
        ),
    ),
    AgentNote(
        "function-first",
        "We're in the function parseHeader now, in lib/http/parser.go around line 88. So far the "
        "chunked bodies work and the tests for them are green. The remaining problem is that a header "
        "which is folded over two lines gets cut off after the first of them, so the next thing on the "
        "list is to join folded lines before we split at the colon.",
        {"file_path": "lib/http/parser.go", "line_number": 88, "function_name": "parseHeader"},
        (
            "chunked",
            "folded",
            "join",
            "colon",
        ),
    ),
    AgentNote(
        "bullets",
        "## Status\n"
        "- File: internal/cache/lru.go, line 57, func evictOldest\n"
        "- Done: replaced the linked list by a ring buffer, as was discussed at some length in the "
        "meeting\n"
        "- Error: `panic: index out of range [8] with length 8` when the cache is full and one more is "
        "put in\n"
        "- TODO: take the index modulo the capacity, then run the benchmarks again and compare them to "
        "main\n"
        "\n"
        "Background: the linked list had been in there since the very first version and was never "
        "really looked at again, so that nobody knew why it was chosen at the time.",
        {
            "file_path": "internal/cache/lru.go",
            "line_number": 57,
            "function_name": "evictOldest",
            "last_error": "panic: index out of range [8] with length 8",
        },
        (
            "ring buffer",
            "modulo",
            "benchmarks",
        ),
    ),
    AgentNote(
        "passive",
        "Work is under way on app/models/order.rb, where `compute_total` (line 204) rounds too early. "
        "The rounding of the single items has been moved behind the sum, which is what the accountants "
        "had asked for in the first place. Taxes are not done yet: they still have to be summed per "
        "rate instead of per item. The spec for that can be found under spec/models/order_spec.rb.",
        {"file_path": "app/models/order.rb", "line_number": 204, "function_name": "compute_total"},
        (
            "rounding",
            "moved",
            "Taxes",
            "per rate",
        ),
    ),
    AgentNote(
        "umlaut",
        "Gerade offen ist docs/überblick.md. I am rewriting the section on installation there, line 30, "
        "because people kept asking about it over and over again in the forum. The paragraph on Windows "
        "is finished. Next comes the one on Debian, for which I first have to find out whether the "
        "package is called libfoo-dev or libfoo2-dev these days.",
        {"file_path": "docs/überblick.md", "line_number": 30},
        (
            "Windows",
            "Debian",
            "libfoo-dev",
            "libfoo2-dev",
        ),
    ),
    AgentNote(
        "dockerfile",
        'docker build stops in the Dockerfile on line 9 with "E: Unable to locate package libssl1.1". I '
        "tried pinning the base image to bookworm, but that made no difference whatsoever. My plan is "
        "to go over to libssl3, rebuild the wheel for cryptography against it, and only after that to "
        "clean up the layers, which are a bit of a mess at this point in time.",
        {"file_path": "Dockerfile", "line_number": 9, "last_error": "E: Unable to locate package libssl1.1"},
        (
            "bookworm",
            "libssl3",
            "wheel",
            "cryptography",
        ),
    ),
    AgentNote(
        "handover",
        "Handing this over: the migration in db/migrate/20240311_add_index.sql is written but has not "
        "been run against production. I stopped at line 14, where the index gets created concurrently. "
        "Whoever picks this up should run it on staging first and look at the lock times; they must "
        "stay under 200 ms. Everything before that, that is to say the new columns and the backfill of "
        "them, is through.",
        {"file_path": "db/migrate/20240311_add_index.sql", "line_number": 14},
        (
            "not",
            "staging",
            "200 ms",
            "backfill",
        ),
    ),
    AgentNote(
        "decision",
        "There was a long back and forth about the queue. In the end we went with Redis streams rather "
        "than with RabbitMQ, because they are already deployed and we get replay for free. I've started "
        "on it in worker/consumer.py, and the method ack_batch at line 71 is where I am right now. Left "
        "to do: the dead letter stream, and a metric for the lag of the consumers.",
        {"file_path": "worker/consumer.py", "line_number": 71, "function_name": "ack_batch"},
        (
            "Redis streams",
            "replay",
            "dead letter",
            "lag",
        ),
    ),
    AgentNote(
        "traceback",
        "Running the suite gave me this:\n"
        "\n"
        '  File "tools/export.py", line 118, in write_rows\n'
        "KeyError: 'sku'\n"
        "\n"
        "It only happens with the new feed, since the old one always has that column and so nobody ever "
        "noticed. I've made the reader fill in an empty string for it. I still want to check whether "
        "the importer on the other side copes with an empty sku, and to add a feed without it to the "
        "fixtures.",
        {
            "file_path": "tools/export.py",
            "line_number": 118,
            "function_name": "write_rows",
            "last_error": "KeyError: 'sku'",
        },
        (
            "empty string",
            "importer",
            "fixtures",
        ),
    ),
    AgentNote(
        "terse",
        "on src/net/tls.rs:233 (fn verify_chain). works for RSA, not yet for Ed25519 -> returns "
        "BadSignature. added a log of the algorithm id, it says 1.3.101.112 which is right, so the key "
        "must be what is wrong. next: dump the key, compare it with what openssl prints, maybe there is "
        "a byte too many at the front of it like there was with the other one the other day.",
        {"file_path": "src/net/tls.rs", "line_number": 233, "function_name": "verify_chain"},
        (
            "RSA",
            "Ed25519",
            "BadSignature",
            "1.3.101.112",
            "dump the key",
            "openssl",
        ),
    ),
    AgentNote(
        "plural",
        "Together we have got the login form working again; the culprit was a missing await in "
        "web/src/auth/session.ts on line 19, inside refreshToken(). It used to reject with 'TypeError: "
        "Cannot read properties of undefined', which nobody saw as the promise was never looked at. The "
        "open points are the logout button, which still leaves the cookie behind, and the spinner.",
        {
            "file_path": "web/src/auth/session.ts",
            "line_number": 19,
            "function_name": "refreshToken",
            "last_error": "TypeError: Cannot read properties of undefined",
        },
        (
            "await",
            "logout",
            "cookie",
            "spinner",
        ),
    ),
    AgentNote(
        "config",
        "I'm busy with .github/workflows/release.yml, it is line 41 that matters: the job fails with "
        "exit code 137, which means that it ran out of memory. Raising the limit to 8 GB was done "
        "yesterday and it wasn't enough. I'm about to split the job into two, one for each "
        "architecture, so that neither of them needs more than 4 GB. After that the cache key has to "
        "get the architecture in it, too.",
        {"file_path": ".github/workflows/release.yml", "line_number": 41},
        (
            "137",
            "8 GB",
            "split",
            "4 GB",
            "cache key",
        ),
    ),
    AgentNote(
        "class-method",
        "I have been looking at why saving is slow. Profiling says that 80% of the time goes into "
        "Serializer.flush, core/serializer.py line 402, which opens the file anew for each record. I "
        "turned that into one open per batch and saving went from 9.5 s to 0.7 s. Remaining work: flush "
        "on close, and make sure that a crash in between does not lose more than one batch of the "
        "records.",
        {"file_path": "core/serializer.py", "line_number": 402, "function_name": "Serializer.flush"},
        (
            "80%",
            "9.5 s",
            "0.7 s",
            "flush on close",
            "not lose",
        ),
    ),
)

#: Written at the same time, and looked at once, when the readers were finished.
HELD_ASIDE = (
    AgentNote(
        "cmake",
        "My cursor is in CMakeLists.txt, line 63. I've just got rid of the hard-coded include path, "
        "which had been bothering everybody for ages. The linker still complains: `undefined reference "
        "to zlibVersion`. I will have to link against ZLIB::ZLIB there, and afterwards I want to give "
        "the Windows build another go, as it has been red since about the beginning of last week.",
        {
            "file_path": "CMakeLists.txt",
            "line_number": 63,
            "last_error": "undefined reference to zlibVersion",
        },
        (
            "include path",
            "ZLIB::ZLIB",
            "Windows",
        ),
    ),
    AgentNote(
        "procedure",
        "Presently debugging the method calculateShipping in src/main/java/shop/Cart.java; the "
        "breakpoint sits at line 151. The discount was being applied twice, that has been corrected. "
        "What's left is that orders over 50 kg get no price at all, and they should be sent on to "
        "freight instead. It would be nice to have a unit test for it as well, given how often this has "
        "come up in the past.",
        {
            "file_path": "src/main/java/shop/Cart.java",
            "line_number": 151,
            "function_name": "calculateShipping",
        },
        (
            "discount",
            "corrected",
            "50 kg",
            "freight",
            "unit test",
        ),
    ),
    AgentNote(
        "fields",
        "Current file: pkg/queue/worker.go\n"
        "Cursor: line 92\n"
        "Function: drainQueue\n"
        "Last error: context deadline exceeded after 30s\n"
        "Completed: retries with a backoff, and the metric for the depth of the queue\n"
        "Pending: stop taking jobs when SIGTERM comes, and then wait for those that are running to "
        "finish\n"
        "Notes: all of this was asked for by operations after the incident in spring, during which a "
        "few hundred jobs got lost, and it is not urgent as such but they would very much like to have "
        "it soon.",
        {"file_path": "pkg/queue/worker.go", "line_number": 92, "function_name": "drainQueue"},
        (
            "context deadline exceeded",
            "30s",
            "backoff",
            "SIGTERM",
        ),
    ),
    AgentNote(
        "accents",
        "Working through données/café_liste.csv at the moment, row by row more or less; line 1,204 has "
        "a price of -3, which can hardly be right. The import in scripts/load.py now skips such rows "
        "and writes them to rejects.csv. The next step would be to ask the supplier about them, and to "
        "make the import stop altogether when more than 1% of the rows were rejected.",
        {"file_path": "données/café_liste.csv"},
        (
            "-3",
            "scripts/load.py",
            "rejects.csv",
            "supplier",
            "1%",
        ),
    ),
    AgentNote(
        "rust",
        "cargo test dies with \"thread 'main' panicked at src/graph/walk.rs:77:13: attempt to subtract "
        "with overflow\". It's in the depth_first function. I've put a checked_sub in there, and the "
        "unit tests go through now. Still to be dealt with: the property tests find a cycle of length "
        "one which never ends. That needs a visited set, or else a limit on the depth of the walk.",
        {"file_path": "src/graph/walk.rs", "line_number": 77, "function_name": "depth_first"},
        (
            "attempt to subtract with overflow",
            "checked_sub",
            "cycle",
            "visited set",
        ),
    ),
    AgentNote(
        "choice",
        "After having looked at three libraries for the charts I settled on uPlot, as it is small (45 "
        "kB) and draws 100,000 points without any trouble; Chart.js was ruled out since it was far too "
        "slow. The component is in web/components/Trend.vue and I'm on line 28 of it, in the function "
        "drawSeries. Axes and legend are ready. The tooltip is missing, and zooming is not supported so "
        "far.",
        {"file_path": "web/components/Trend.vue", "line_number": 28, "function_name": "drawSeries"},
        (
            "uPlot",
            "45 kB",
            "Axes",
            "tooltip",
            "zooming",
            "not",
        ),
    ),
    AgentNote(
        "jenkins",
        "Been poking at the Jenkinsfile for a while (line 37). Stage 'Deploy' never starts; the log "
        "shows \"No such DSL method 'withVault' found\". Installing the plugin on the test instance "
        "solved that. Someone with admin rights has to install it on ci-prod-2 as well. Once that's "
        "there, I can take out the workaround with the environment variables, which I'd been meaning to "
        "do anyway.",
        {"file_path": "Jenkinsfile", "line_number": 37},
        (
            "withVault",
            "plugin",
            "ci-prod-2",
            "workaround",
        ),
    ),
    AgentNote(
        "third-person",
        "The agent was last seen editing src/render/text.ts, at line 512, within the wrapLine function. "
        "It had completed the handling of tabs. It had not begun with soft hyphens, which the ticket "
        "(#4821) also asks for. The last run of the tests ended with 2 failures out of 340, both of "
        "them in text.spec.ts, and both of them because of a width that is off by one.",
        {"file_path": "src/render/text.ts", "line_number": 512, "function_name": "wrapLine"},
        (
            "tabs",
            "soft hyphens",
            "#4821",
            "2 failures",
            "340",
        ),
    ),
    AgentNote(
        "sql",
        "I got stuck on the report query, reports/monthly.sql line 22. It ran for 14 minutes. With an "
        "index on (account_id, created_at) it is down to 3 s, so I have added that to the schema. I "
        "haven't touched the yearly report; it has got the very same problem, so that one's up next. "
        "One thing to keep in mind is that the index takes about 6 GB on the replica.",
        {"file_path": "reports/monthly.sql", "line_number": 22},
        (
            "14 minutes",
            "3 s",
            "account_id",
            "yearly",
            "6 GB",
        ),
    ),
    AgentNote(
        "kotlin",
        "Where I am: app/src/main/kotlin/sync/Uploader.kt, line 140, fun enqueue. What works: uploads "
        "survive a restart of the app. What doesn't: on a metered network the job throws "
        "IllegalStateException: constraints not met. What I'd do next: catch it and schedule the job "
        "anew with a delay of 15 minutes. There were some other ideas floating around too, but none of "
        "them was any better really.",
        {
            "file_path": "app/src/main/kotlin/sync/Uploader.kt",
            "line_number": 140,
            "function_name": "enqueue",
            "last_error": "IllegalStateException: constraints not met",
        },
        (
            "survive",
            "restart",
            "15 minutes",
        ),
    ),
    AgentNote(
        "ongoing",
        "Okay, so the state of things is as follows. I'm halfway through moving the settings out of "
        "server/settings.py (line 88 is the last one that I moved) and into environment variables. "
        "DATABASE_URL and SECRET_KEY are over already. REDIS_URL and SENTRY_DSN are outstanding, and "
        "the README has to be brought up to date. Nothing has been deployed, and nothing must be before "
        "Thursday.",
        {"file_path": "server/settings.py", "line_number": 88},
        (
            "DATABASE_URL",
            "SECRET_KEY",
            "REDIS_URL",
            "SENTRY_DSN",
            "README",
            "Nothing",
            "Thursday",
        ),
    ),
    AgentNote(
        "perl",
        "I'm fixing the report generator: bin/report.pl, sub format_row, ln 66. It printed the totals "
        "with a comma in the wrong place for anything over 999,999, and I've repaired that by using a "
        "proper format string. To finish this off I need to update the golden files in t/expected and "
        "bump the version to 2.4.1. Nobody but finance uses this, so there's no particular hurry with "
        "it at all.",
        {"file_path": "bin/report.pl", "line_number": 66, "function_name": "format_row"},
        (
            "999,999",
            "repaired",
            "golden files",
            "2.4.1",
        ),
    ),
)
