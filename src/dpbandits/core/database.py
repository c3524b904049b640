"""A file of SQLite that threads and processes share, and that a power failure takes nothing from.

A commit returns when the disk has it (WAL, synchronous=FULL), and no other process sees it before.
The file is for its owner alone (mode 0600, as are the files FILE-wal and FILE-shm that SQLite puts
beside it). It has to be on a disk of this machine.
"""

import os
import sqlite3
import stat
import threading
import time
import weakref
from collections.abc import Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dpbandits.core.errors import InputError, StoreError
from dpbandits.core.models import shown

APPLICATION, FORMAT = 0x64706261, 5  # "dpba"
LOG = 500  # pages; a log that keeps its size is written faster than one that grows
PATIENCE, POLL = 60.0, 0.02  # seconds to wait for other processes, and at a time
BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
PRAGMAS = {
    "journal_mode": "WAL",
    "synchronous": "FULL",  # a commit that a power failure took back would be drawn again
    "fullfsync": 1,  # macOS
    "secure_delete": "ON",
    "temp_store": "MEMORY",
    "wal_autocheckpoint": LOG,
    "journal_size_limit": LOG * 4120,  # bytes: what it has is overwritten in its next turn
}
OLD = (
    "this is a learner saved by another version (format {}), which cannot be gone on with: give "
    "another file as store=; for those who are in both, the two promises add up"
)
OPENING = threading.Lock()


class Database:
    """One file. Each process opens it for itself: it is closed before a fork, since SQLite in the
    child would believe in locks that its parent has, and opened again at the next call."""

    def __init__(self, path: Any):
        if not isinstance(path, str | os.PathLike) or not Path(path).name or "\0" in str(path):
            raise InputError(f"store = {shown(path)}: allowed: the name of a file")
        try:
            os.fsencode(path)
        except UnicodeError:
            raise InputError("store: allowed: the name of a file") from None
        self.path = Path(os.path.realpath(path))  # where SQLite puts its log
        self.files: list[tuple[str, int, int]] = []  # name, device and number, once open
        self.sqlite: Any = None
        self.lock = threading.RLock()
        with FORKS:
            OPEN.add(self)

    def sql(self, query: str, *values) -> list[tuple]:
        try:
            return self.sqlite.execute(query, values).fetchall()
        except (sqlite3.Error, UnicodeError) as error:  # its text has no value of a row
            raise self._failed(error) from None

    def change(self, query: str, *rows: tuple) -> int:
        """The number of rows that are changed, with the values of each of these."""
        try:
            return self.sqlite.executemany(query, rows).rowcount
        except sqlite3.Error as error:
            raise self._failed(error) from None

    def _failed(self, error: Exception) -> StoreError:
        failed = StoreError(f"{self.path}: {type(error).__name__}: {error}")
        failed.busy = getattr(error, "sqlite_errorcode", 0) & 0xFF in BUSY
        return failed

    def patiently(self, query: str, *values) -> list[tuple]:
        """SQLite itself waits for a short time only: left to it, one of several busy processes
        waits 0.1 seconds again and again, while the others go first."""
        end = 0.0
        while True:
            try:
                return self.sql(query, *values)
            except StoreError as error:
                end = end or time.monotonic() + PATIENCE
                if not error.busy or time.monotonic() > end:
                    raise

    def open(self, schema: Iterable[tuple]) -> None:
        """Open the file, or make it by these statements; later only the same one."""
        self.look()
        try:
            self._connect()
            for key, value in PRAGMAS.items():
                self.patiently(f"PRAGMA {key}={value}")
            if (mode := self.sql("PRAGMA journal_mode")[0][0]) != "wal":
                raise StoreError(f"{self.path}: a disk of this machine is needed (mode {mode})")
            with self.transaction():
                known = [
                    self.sql(f"PRAGMA {key}")[0][0] for key in ("application_id", "user_version")
                ]
                if not self.sql("SELECT 1 FROM sqlite_master"):
                    for statement in schema:
                        self.sql(*statement)
                    self.sql(f"PRAGMA application_id={APPLICATION}")
                    self.sql(f"PRAGMA user_version={FORMAT}")
                elif known[0] != APPLICATION:
                    raise InputError(f"{self.path}: not a store of learners")
                elif known[1] != FORMAT:
                    raise InputError(f"{self.path}: {OLD.format(known[1])}")
            names = {name: os.stat(name) for name in (str(self.path), f"{self.path}-wal")}
            self.files = [(name, at.st_dev, at.st_ino) for name, at in names.items()]
        except OSError as error:
            self.close()
            raise StoreError(f"{self.path}: cannot be opened: {error.strerror}") from None
        except BaseException:
            self.close()
            raise

    def _connect(self) -> None:
        """A new file is one that only its owner can read; an old one may not be open to others.
        Here a file that SQLite may have open is never opened: closing it again would take away all
        locks that this process has on it, and what other processes then do damages it."""
        if self.path in LOST:
            raise StoreError(f"{self.path}: this process was forked in the middle of a call")
        try:
            if self.path.exists() and not self.path.is_file():
                raise InputError(f"{self.path}: allowed: a file")
            with OPENING:
                with suppress(FileExistsError):
                    os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
                found = self.path.stat()
                if os.name == "posix" and stat.S_IMODE(found.st_mode) & 0o077:
                    raise InputError(f"{self.path}: others can read this file: chmod 600")
                if found.st_nlink > 1:  # under each name SQLite would have another log
                    raise InputError(f"{self.path}: this file has several names (hard links)")
                self.sqlite = sqlite3.connect(
                    self.path, POLL, isolation_level=None, check_same_thread=False
                )
                self.close_at_end = weakref.finalize(self, self.sqlite.close)
                self.patiently("SELECT 1 FROM sqlite_master")  # opens it
        except sqlite3.Error as error:
            raise self._failed(error) from None

    def close(self) -> None:
        if self.sqlite is not None:
            self.sqlite, self.files = None, self.files[:1]  # the log may end with it
            self.close_at_end()

    def look(self) -> None:
        """Whether the files under these names are still those that are open: in one that was
        deleted or replaced, what is written is lost."""
        for name, device, number in self.files:
            try:
                found = os.stat(name)
                if found.st_ino == number and found.st_dev == device:
                    continue
            except OSError:
                pass
            raise StoreError(
                f"{name}: deleted or replaced while it was open; make the learner anew"
            )

    @contextmanager
    def transaction(self):
        self.patiently("BEGIN IMMEDIATE")
        try:
            yield
            self.sql("COMMIT")
        except BaseException:
            self.roll_back()
            raise

    def roll_back(self) -> None:
        if self.sqlite is not None and self.sqlite.in_transaction:
            self.sql("ROLLBACK")

    def hold(self) -> None:
        """Before a fork: wait for calls of other threads, and close the file, but not in the middle
        of a call of this thread."""
        self.lock.acquire()
        if self.sqlite is not None and not self.sqlite.in_transaction:
            self.close()

    def forked(self) -> None:
        """In the child, which may not even close a connection of its parent."""
        if self.sqlite is not None:
            self.close_at_end.detach()
            LOST[self.path] = self.sqlite
        self.lock, self.sqlite = threading.RLock(), None


OPEN: weakref.WeakSet[Database] = weakref.WeakSet()
FORKS = threading.Lock()  # held from before a fork until after it
HELD: list[Database] = []
LOST: dict[Path, sqlite3.Connection] = {}  # in a child: those that are open in its parent


def _before_fork() -> None:
    FORKS.acquire()
    HELD.extend(OPEN)
    for database in HELD:
        database.hold()


def _after_fork() -> None:
    while HELD:
        HELD.pop().lock.release()
    FORKS.release()


def _after_fork_in_child() -> None:
    for database in list(OPEN):
        database.forked()
    HELD.clear()
    if FORKS.locked():  # not if the fork was one of C
        FORKS.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork_in_child
    )
