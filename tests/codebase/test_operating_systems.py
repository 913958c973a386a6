"""Every module imports, and files are locked and replaced, under the standard library of other systems.

Simulated: what Windows or macOS lack is taken away from `os`, and modules they lack cannot be imported.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROBE = '''
import importlib, os, pkgutil, sys, types, warnings
from pathlib import Path

def load_all():
    import tersely
    names = sorted(module.name for module in pkgutil.walk_packages(tersely.__path__, "tersely."))
    from tersely.errors import MissingExtraError
    for name in names:
        if not name.endswith("__main__"):
            try:
                importlib.import_module(name)
            except MissingExtraError:
                pass
    return len(names)

warnings.simplefilter("error")
warnings.filterwarnings("ignore", category=DeprecationWarning)  # of optional packages
load_all()  # and with it all of the standard library and of optional packages that there is
for name in [name for name in sys.modules if name.split(".")[0] == "tersely" and name != "tersely._native"]:
    del sys.modules[name]

locks = []
def locking(handle, mode, length):
    """As Windows does: at the position of the handle, for at least one byte, EACCES where it is taken."""
    import errno
    position = os.lseek(handle, 0, os.SEEK_CUR)
    assert length == 1 and position >= 2**30
    inode = os.fstat(handle).st_ino
    if mode == 0:
        locks.remove(inode)
    elif inode in locks:
        raise OSError(errno.EACCES, "Permission denied")
    else:
        locks.append(inode)

gone = """O_NOFOLLOW O_NONBLOCK O_CLOEXEC O_DIRECTORY O_SYNC register_at_fork fork forkpty fchmod fchown chown
    getuid geteuid getgid setsid killpg mkfifo openpty pread pwrite sched_getaffinity statvfs sysconf uname
    wait3 wait4 WNOHANG""".split()
if sys.argv[1] == "win32":
    for name in ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"):
        sys.modules[name] = None
    for name in gone:
        if hasattr(os, name):
            delattr(os, name)
    import signal
    for name in "SIGHUP SIGKILL SIGPIPE SIGQUIT SIGTSTP SIGWINCH SIGCONT SIGSTOP SIGCHLD".split():
        delattr(signal, name)
    real = os.open
    def opened(path, flags, *rest, **more):
        if os.path.isdir(path):
            raise PermissionError(13, "Permission denied", path)
        return real(path, flags, *rest, **more)
    os.open = opened
    sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=2, LK_UNLCK=0, locking=locking)
else:
    for name in "sched_getaffinity posix_fadvise memfd_create pipe2 O_TMPFILE O_DIRECT eventfd".split():
        if hasattr(os, name):
            delattr(os, name)
sys.platform = sys.argv[1]
assert load_all() > 100

import tersely
from tersely.files import file_lock
from tersely.models.recorded import Recorder, Replayer
from tersely.retrieval.index import Index
from tersely.store import Store

folder = Path(sys.argv[2])
text = "The invoice is due on Friday. Nothing else matters much. The sum is 480 euros."
assert "480" in tersely.compress(text, "what is the sum?", budget=12).text
with Store.open(folder / "texts.sqlite") as store:
    store.put(text, id="one")
    store.replace("one", "480 euros.")
    assert store.expand("one") == text
with file_lock(folder / "lock", 1.0):
    if sys.argv[1] == "win32":
        assert len(locks) == 1
    try:
        with file_lock(folder / "lock", 0.01):
            raise SystemExit("locked twice")
    except TimeoutError:
        pass
assert not locks
(folder / "pages").mkdir()
(folder / "pages" / "page.md").write_text(text)
Index.build(folder / "pages")
(folder / "pages" / "more.md").write_text(text.replace("480", "940"))
Index.build(folder / "pages")
assert Index.open(folder / "pages").search("what is the sum?", 3)
assert Recorder(lambda prompt: "a reply", folder / "replies.sqlite").complete("a prompt") == "a reply"
assert Replayer(folder / "replies.sqlite").complete("a prompt") == "a reply"
'''


@pytest.mark.slow
@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_all_modules_work_with_what_the_system_has(system: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROBE, system, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
