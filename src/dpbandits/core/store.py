"""Where a learner keeps what it may not lose: in memory, or in a file of SQLite.

A call of a learner is one transaction of its store: `begin`, which says whether what the learner
has in memory is still what the file has, then all of the call or nothing, then `commit`, which
returns when the disk has it (WAL, synchronous=FULL: also not seen by other processes before). So
nothing is shown that the file does not have, and no two processes act or release at once. The file
is not private: it holds rewards without noise, and is for its owner alone (mode 0600, as are the
files FILE-wal and FILE-shm that SQLite puts beside it). It has to be on a disk of this machine.
"""

import hashlib
import json
import os
import secrets
import sqlite3
import stat
import threading
import time
import weakref
from collections.abc import Callable, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dpbandits.core.errors import InputError, StoreError
from dpbandits.core.models import shown
from dpbandits.core.rows import Round, packed, unpacked

APPLICATION, FORMAT = 0x64706261, 3  # "dpba"
PATIENCE, POLL = 60.0, 0.02  # seconds to wait for other processes, and at a time
PRAGMAS = {
    "journal_mode": "WAL",
    "synchronous": "FULL",  # a commit that a power failure took back would be drawn again
    "fullfsync": 1,  # macOS
    "secure_delete": "ON",
    "temp_store": "MEMORY",
    "journal_size_limit": 0,
}
SCHEMA = """
CREATE TABLE IF NOT EXISTS secret (key BLOB);
CREATE TABLE IF NOT EXISTS learner
    (id INTEGER PRIMARY KEY, name TEXT UNIQUE, about TEXT, version INTEGER);
CREATE TABLE IF NOT EXISTS state
    (learner INTEGER, name TEXT, place INTEGER, value, version INTEGER,
     UNIQUE (learner, name, place));
CREATE INDEX IF NOT EXISTS changed ON state (learner, version);
CREATE TABLE IF NOT EXISTS pending
    (learner INTEGER, round INTEGER, ticket TEXT UNIQUE, arm INTEGER, context, reward,
     PRIMARY KEY (learner, round)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS person
    (budget TEXT, person BLOB, rounds INTEGER, PRIMARY KEY (budget, person)) WITHOUT ROWID;
"""
ROUND = "SELECT round, ticket, arm, context, reward FROM pending WHERE learner=? AND "
WRITE = "INSERT OR REPLACE INTO state VALUES (?, ?, ?, ?, ?)"
ANEW = -1  # place of a row that is written when a log is begun anew
OPENING = threading.Lock()


class Store:
    """The same in a file, which may have several learners. `logs`: state that is a list which grows
    at its end, or is begun anew: of these only what is new is written. budget: the name under which
    rounds of persons are counted."""

    def __init__(self, path: Any, name: str, budget: str, logs: Iterable[str] = ()):
        if not isinstance(path, str | os.PathLike) or not Path(path).name or "\0" in str(path):
            raise InputError(f"store = {shown(path)}: allowed: the name of a file")
        self.path, self.name, self.budget = Path(os.path.abspath(path)), name, budget
        self.logs, self.id = tuple(logs), 0
        self.lock = threading.RLock()
        self.within = self.touched = False  # a call; what it changes in memory
        self.version: int | None = None  # of what the learner has in memory; None: read it again
        self.known: int | None = None  # the same, before this call
        self.written: dict[str, Any] = {}  # as the file has it
        self.sqlite: Any = None
        STORES.add(self)

    def sql(self, query: str, *values) -> list[tuple]:
        try:
            return self.sqlite.execute(query, values).fetchall()
        except sqlite3.Error as error:  # its text has no value of a row
            raise StoreError(f"{self.path}: {type(error).__name__}: {error}") from None

    def _open(self) -> None:
        """A new file is one that only its owner can read; an old one may not be open to others.
        Here a file that SQLite may have open is never opened: closing it again would take away all
        locks that this process has on it, and what other processes then do damages it."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.exists() and not self.path.is_file():
                raise InputError(f"{self.path}: allowed: a file")
            with OPENING:
                with suppress(FileExistsError):
                    os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
                if os.name == "posix" and stat.S_IMODE(self.path.stat().st_mode) & 0o077:
                    raise InputError(f"{self.path}: others can read this file: chmod 600")
                self.sqlite = sqlite3.connect(
                    self.path, POLL, isolation_level=None, check_same_thread=False
                )
                self._patiently("SELECT 1 FROM sqlite_master")  # opens it
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be opened: {error.strerror}") from None
        self.close = weakref.finalize(self, self.sqlite.close)
        for key, value in PRAGMAS.items():
            self._patiently(f"PRAGMA {key}={value}")
        with self._transaction():
            keys = ("application_id", "user_version")
            known = [self.sql(f"PRAGMA {key}")[0][0] for key in keys]
            if not self.sql("SELECT 1 FROM sqlite_master"):
                for statement in SCHEMA.split(";")[:-1]:
                    self.sql(statement)
                self.sql("INSERT INTO secret VALUES (?)", secrets.token_bytes(32))
                self.sql(f"PRAGMA application_id={APPLICATION}")
                self.sql(f"PRAGMA user_version={FORMAT}")
            elif known != [APPLICATION, FORMAT]:
                raise InputError(f"{self.path}: not a store of learners of this version")
            ((self.secret,),) = self.sql("SELECT key FROM secret")

    def _patiently(self, query: str, *values) -> list[tuple]:
        """SQLite itself waits for a short time only: left to it, one of several busy processes
        waits 0.1 seconds again and again, while the others go first."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return self.sql(query, *values)
            except StoreError as error:
                if "locked" not in str(error) or time.monotonic() > end:
                    raise

    @contextmanager
    def _transaction(self):
        self._patiently("BEGIN IMMEDIATE")
        try:
            yield
            self.sql("COMMIT")
        except BaseException:
            self.undo()
            raise

    # The learner itself
    def start(self, about: dict[str, Any], state: dict[str, Any]) -> None:
        """The row of this learner, which is made or has to have these arguments."""
        self._open()
        text = json.dumps(about)
        with self._transaction():
            if not self.sql("SELECT 1 FROM learner WHERE name=?", self.name):
                self.sql("INSERT INTO learner VALUES (NULL, ?, ?, 0)", self.name, text)
            ((self.id, kept),) = self.sql("SELECT id, about FROM learner WHERE name=?", self.name)
            there, here = json.loads(kept), json.loads(text)
            if there != here:
                key = min(k for k in there | here if there.get(k) != here.get(k))
                raise InputError(
                    f"{self.path}: the learner {shown(self.name)} has {key} = "
                    f"{shown(there.get(key))}, not {shown(here.get(key))}; allowed: what it was "
                    "made with, or another name="
                )
            if shares := here["shares"]:
                for (other,) in self.sql("SELECT about FROM learner"):
                    if json.loads(other)["shares"] not in (None, shares):
                        raise InputError(f"{self.path}: who share a budget make the same promise")
            if not self.sql("SELECT 1 FROM state WHERE learner=?", self.id):
                self._write_all(state)
        self.version = None

    def begin(self, write: bool) -> bool:
        """Whether the state in the file is the one that this object has read or written last."""
        if self.sqlite is None:
            self._open()
        self._patiently("BEGIN IMMEDIATE" if write else "BEGIN")
        found = self._patiently("SELECT version FROM learner WHERE id=?", self.id)
        if not found:
            raise StoreError(f"{self.path}: the learner {shown(self.name)} is gone")
        self.known, self.version = self.version, found[0][0]
        return self.known == self.version

    def read(self) -> dict[str, Any]:
        """What has changed since this object knew it."""
        state: dict[str, Any] = {}
        if self.known is None:
            self.written, state = {}, {name: [] for name in self.logs}
        query = "SELECT name, place, value FROM state WHERE learner=? AND version>? ORDER BY 1, 2"
        for name, place, value in self.sql(query, self.id, self.known or 0):
            if name not in self.logs:
                state[name], self.written[name] = unpacked(value), value
            elif place == ANEW:
                state[name] = []
            else:
                state.setdefault(name, self.written.get(name, [[]])[0]).append(unpacked(value))
        for name in self.logs:
            if name in state:
                self.written[name] = state[name], len(state[name])
        return state

    def commit(self, state: Callable[[], dict[str, Any]]) -> None:
        """Write what has changed; it is on the disk when this returns."""
        if self.touched:
            self._write_all(state())
        self.sql("COMMIT")

    def _write_all(self, state: dict[str, Any]) -> None:
        new = (self.version or 0) + 1
        changed = [self._write(*item, new) for item in state.items()]
        if any(changed):
            self.version = new
            self.sql("UPDATE learner SET version=? WHERE id=?", new, self.id)

    def _write(self, name: str, value, version: int) -> bool:
        """Whether it has changed."""
        if name not in self.logs:
            new = packed(value)
            if self.written.get(name, self) == new:
                return False
            self.sql(WRITE, self.id, name, 0, new, version)
            self.written[name] = new
            return True
        kept, count = self.written.get(name, (None, 0))
        if anew := kept is not value or len(value) < count:
            self.sql("DELETE FROM state WHERE learner=? AND name=?", self.id, name)
            self.sql(WRITE, self.id, name, ANEW, None, version)
            count = 0
        for place in range(count, len(value)):
            self.sql(WRITE, self.id, name, place, packed(value[place]), version)
        self.written[name] = value, len(value)
        return anew or len(value) > count

    def undo(self) -> bool:
        if self.touched:
            self.version = None
        if self.sqlite is not None and self.sqlite.in_transaction:
            self.sql("ROLLBACK")
        return True

    # Rounds that wait
    def add(self, played: Round) -> None:
        p = played
        row = self.id, p.number, p.ticket, p.arm, packed(p.context)
        self.sql("INSERT INTO pending VALUES (?, ?, ?, ?, ?, NULL)", *row)

    def of_round(self, number: int) -> Round | None:
        return self._round(ROUND + "round=?", number)

    def of_ticket(self, ticket: str) -> Round | None:
        return self._round(ROUND + "ticket=?", ticket)

    def _round(self, query: str, key) -> Round | None:
        for number, ticket, arm, context, reward in self.sql(query, self.id, key):
            return Round(number, ticket, arm, unpacked(context), unpacked(reward))
        return None

    def reward(self, played: Round, X) -> None:
        query = "UPDATE pending SET reward=? WHERE learner=? AND round=?"
        self.sql(query, packed(X), self.id, played.number)

    def remove(self, played: Round) -> None:
        self.sql("DELETE FROM pending WHERE learner=? AND round=?", self.id, played.number)

    # Persons, of whom the file has no names
    def _person(self, person: str) -> tuple[str, bytes]:
        key = hashlib.blake2b(person.encode(), key=self.secret, digest_size=16).digest()
        return self.budget, key

    def visits(self, person: str) -> int:
        query = "SELECT rounds FROM person WHERE budget=? AND person=?"
        return (self.sql(query, *self._person(person)) or [(0,)])[0][0]

    def visit(self, person: str) -> None:
        query = "INSERT INTO person VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET rounds = rounds + 1"
        self.sql(query, *self._person(person))


STORES: weakref.WeakSet[Store] = weakref.WeakSet()
LOST: list[sqlite3.Connection] = []  # connections of a parent, which its child may not even close


def _after_fork() -> None:
    for store in list(STORES):
        if store.sqlite is not None:
            store.close.detach()
            LOST.append(store.sqlite)
        store.lock, store.within = threading.RLock(), False
        store.sqlite = store.version = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
