"""Where a learner keeps what it may not lose: in a file of SQLite (core/database.py).

A call of a learner is one transaction of its store: `begin`, which says whether what the learner
has in memory is still what the file has, then all of the call or nothing, then `commit`. So nothing
is shown that the file does not have, and no two processes act or release at once. A draw of noise
is committed before anything is computed from it (`once`). The file is not private: it holds rewards
without noise.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from itertools import zip_longest
from typing import Any

from dpbandits.core.columns import packed, unpacked
from dpbandits.core.database import Database
from dpbandits.core.errors import InputError, StoreError
from dpbandits.core.memory import Overtaken, Round
from dpbandits.core.models import shown

SCHEMA = """
CREATE TABLE secret (key BLOB);
CREATE TABLE learner (id INTEGER PRIMARY KEY, name TEXT UNIQUE, about TEXT);
CREATE TABLE state
    (learner INTEGER, name TEXT, version INTEGER, value, UNIQUE (learner, name));
CREATE TABLE log
    (learner INTEGER, name TEXT, place INTEGER, value, PRIMARY KEY (learner, name, place))
    WITHOUT ROWID;
CREATE TABLE pending
    (learner INTEGER, round INTEGER, ticket TEXT, arm INTEGER, context, reward,
     PRIMARY KEY (learner, round)) WITHOUT ROWID;
CREATE TABLE drawn
    (learner INTEGER, place INTEGER, value, PRIMARY KEY (learner, place)) WITHOUT ROWID;
CREATE TABLE person
    (budget TEXT, person BLOB, rounds INTEGER, PRIMARY KEY (budget, person)) WITHOUT ROWID;
"""
# what learners that share a budget have in common
SHARED = "notion", "epsilon", "delta", "noise", "contributions", "addition of losses"
# in place, so that of a long array only the pages that differ are written
WRITE = """
INSERT INTO state VALUES (?, ?, ?, ?) ON CONFLICT (learner, name)
DO UPDATE SET version=excluded.version, value=excluded.value
"""
TAKE = """
UPDATE pending SET reward=? WHERE learner=? AND round=? AND ticket=? AND reward IS NULL
"""


class Store(Database):
    """The same as Memory, in a file, which may have several learners. `logs`: state that is a list
    which grows at its end, or is begun anew: of these only what is new is written. budget: the name
    under which rounds of persons are counted."""

    def __init__(self, path: Any, name: str, budget: str, logs: Iterable[str] = ()):
        super().__init__(path)
        self.name, self.budget, self.logs, self.id = name, budget, tuple(logs), 0
        self.within = self.touched = False  # a call; what it changes in memory
        self.version: int | None = None  # of what the learner has in memory; None: read it again
        self.known: int | None = None  # the same, before this call
        self.written: dict[str, Any] = {}  # as the file has it
        self.due: Round | None = None  # whose reward is counted
        self.place = 0  # of the next draw for it

    def forked(self) -> None:
        super().forked()
        self.within, self.version = False, None

    def _open(self) -> None:
        key = ("INSERT INTO secret VALUES (?)", os.urandom(32))
        self.open([*((text,) for text in SCHEMA.split(";")[:-1]), key])
        ((self.secret,),) = self.sql("SELECT key FROM secret")

    # The learner itself
    def start(self, about: dict[str, Any], state: dict[str, Any]) -> None:
        """The row of this learner, which is made or has to have these arguments."""
        text = json.dumps(about)
        with self.lock:
            self._open()
            self._start(text, state)

    def _start(self, text: str, state: dict[str, Any]) -> None:
        with self.transaction():
            if not self.sql("SELECT 1 FROM learner WHERE name=?", self.name):
                self.sql("INSERT INTO learner VALUES (NULL, ?, ?)", self.name, text)
            ((self.id, kept),) = self.sql("SELECT id, about FROM learner WHERE name=?", self.name)
            there, here = self._value(kept), json.loads(text)
            if there != here:
                key = min(k for k in there | here if there.get(k) != here.get(k))
                raise InputError(
                    f"{self.path}: the learner {shown(self.name)} has {key} = "
                    f"{shown(there.get(key))}, not {shown(here.get(key))}; allowed: what it was "
                    "made with, or another name="
                )
            if shares := here["budget"]:
                for (other,) in self.sql("SELECT about FROM learner"):
                    theirs = self._value(other)["budget"]
                    if theirs and theirs[0] == shares[0] and theirs != shares:
                        pairs = zip(SHARED, zip_longest(theirs[1:], shares[1:]), strict=False)
                        key, (kept, own) = next((k, x) for k, x in pairs if x[0] != x[1])
                        raise InputError(
                            f"{self.path}: budget={shown(shares[0])} has {key} = {shown(kept)}, "
                            f"not {shown(own)}; allowed: the same promise, or another budget="
                        )
            if not self.sql("SELECT 1 FROM state WHERE learner=?", self.id):
                self._write_all(state)
        self.version = None  # so that it is read, whoever has written it

    def begin(self, write: bool) -> bool:
        """Whether the state in the file is the one that this object has read or written last."""
        if self.sqlite is None:
            self._open()
        self.look()
        self.due, self.place = None, 0
        self.patiently("BEGIN IMMEDIATE" if write else "BEGIN")
        self.known, self.version = self.version, self._version()
        return self.known == self.version

    def _version(self) -> int:
        query = "SELECT version FROM state WHERE learner=? AND name='@'"
        found = self.patiently(query, self.id)
        if not found:
            raise StoreError(f"{self.path}: the learner {shown(self.name)} is gone")
        return found[0][0]

    def count(self, due: Round) -> None:
        """What is drawn from now on, until it is removed, is drawn for the count of this round."""
        self.due = due

    def once(self, draw: Callable[[], Any]) -> Any:
        """`draw()`, committed before anything is computed from it. A count that was cut off later
        is done again with the same value, whatever cut it off; and what came as reward until now,
        or did not come, stays so. Before this nothing of the call has been written."""
        if self.due is None:
            raise InputError("noise is drawn in update alone, where rewards are counted")
        place, self.place = self.place, self.place + 1
        for (value,) in self.sql(
            "SELECT value FROM drawn WHERE learner=? AND place=?", self.id, place
        ):
            return self._value(value)
        value = packed(draw())
        self.sql("INSERT INTO drawn VALUES (?, ?, ?)", self.id, place, value)
        self.fix(self.due)
        self.sql("COMMIT")
        self.patiently("BEGIN IMMEDIATE")
        if self._version() != self.version:
            raise Overtaken
        return unpacked(value)

    def read(self) -> dict[str, Any]:
        """What has changed since this object knew it."""
        if self.known is None:
            self.written = {}
        query = "SELECT name, value FROM state WHERE learner=? AND version>?"
        rows = dict(self.sql(query, self.id, self.known or 0))
        state = {name: self._value(value) for name, value in rows.items() if name not in self.logs}
        self.written |= {name: rows[name] for name in state}
        for name in self.logs:
            if name in rows:  # begun anew
                self.written[name] = [], 0
            if name not in self.written:
                continue
            log, count = self.written[name]
            query = "SELECT value FROM log WHERE learner=? AND name=? AND place>=? ORDER BY place"
            for (value,) in self.sql(query, self.id, name, count):
                log.append(self._value(value))
            self.written[name] = log, len(log)
            state[name] = log
        return state

    def commit(self, state: Callable[[], dict[str, Any]]) -> None:
        """Write what has changed; it is on the disk when this returns."""
        if self.touched:
            self._write_all(state())
        if self.place:
            self.sql("DELETE FROM drawn WHERE learner=?", self.id)
        self.sql("COMMIT")

    def _write_all(self, state: dict[str, Any]) -> None:
        """ "@" is written with every change, and so has the version."""
        new, longer = (self.version or 0) + 1, False
        changed = {}
        for name, value in state.items():
            if name not in self.logs:
                row = packed(value)
                if self.written.get(name, self) != row:
                    changed[name] = self.written[name] = row
                continue
            log, count = self.written.get(name, (None, 0))
            if log is not value or len(value) < count:
                self.sql("DELETE FROM log WHERE learner=? AND name=?", self.id, name)
                changed[name], count = new, 0
            if rows := [(self.id, name, k, packed(value[k])) for k in range(count, len(value))]:
                self.change("INSERT INTO log VALUES (?, ?, ?, ?)", *rows)
                longer = True
            self.written[name] = value, len(value)
        if changed or longer:
            self.version = new
            changed["@"] = self.written["@"]
            self.change(WRITE, *((self.id, name, new, row) for name, row in changed.items()))

    def undo(self) -> bool:
        if self.touched:
            self.version = None
        self.roll_back()
        return True

    def _value(self, column: Any) -> Any:
        try:
            return unpacked(column)
        except (ValueError, TypeError) as error:
            raise StoreError(f"{self.path}: damaged: {type(error).__name__}") from None

    # Rounds that wait: a ticket has the number of its round, enciphered, so that no index of them
    # is needed, in which each would be on a page of its own
    def ticket(self, number: int) -> str:
        salt = os.urandom(8)
        return (salt + (self._mask(salt) ^ number).to_bytes(8)).hex()

    def _mask(self, salt: bytes) -> int:
        mask = hashlib.blake2b(salt, key=self.secret, digest_size=8, person=b"ticket")
        return int.from_bytes(mask.digest())

    def add(self, played: Round) -> None:
        p = played
        row = self.id, p.number, p.ticket, p.arm, packed(p.context)
        self.sql("INSERT INTO pending VALUES (?, ?, ?, ?, ?, NULL)", *row)

    def of_round(self, number: int) -> Round | None:
        query = "SELECT ticket, arm, context, reward FROM pending WHERE learner=? AND round=?"
        for ticket, arm, context, reward in self.sql(query, self.id, number):
            return Round(number, ticket, arm, self._value(context), self._value(reward))
        return None

    def take(self, ticket: str, X) -> bool:
        try:
            text = bytes.fromhex(ticket)
        except ValueError:  # not one of ours
            return False
        number = self._mask(text[:8]) ^ int.from_bytes(text[8:])
        return number < 2**63 and self.change(TAKE, (packed(X), self.id, number, ticket)) == 1

    def fix(self, played: Round) -> None:
        query = "UPDATE pending SET reward=? WHERE learner=? AND round=?"
        self.sql(query, packed(played.reward), self.id, played.number)

    def remove(self, played: Round) -> None:
        self.sql("DELETE FROM pending WHERE learner=? AND round=?", self.id, played.number)
        self.due = None

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
