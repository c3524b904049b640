"""Learners in a file: cut calls, kills, threads, processes, forks, persons, strange files."""

import copy
import itertools
import json
import multiprocessing
import os
import pickle
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import partial

import numpy as np
import pytest
from test_learner import DEPLOYED, PRIVATE, World, learner, state
from test_service import LONG, ROUNDS, SHORT

import dpbandits as dp
from dpbandits.core.columns import packed, unpacked
from dpbandits.core.database import APPLICATION
from dpbandits.core.port import CommittedNoise, SimulatedNoise
from dpbandits.core.store import Store

LAZY = {"arms": 3, "epsilon": 1.0}
ONE = {"delay": 1}


@pytest.fixture
def db(tmp_path):
    return tmp_path / "bandits.db"


class Cut(BaseException):
    """What stops a call in its middle, as Ctrl-C does."""


class Keyed:
    """A port whose draws depend on the round and on their place in it alone."""

    def __init__(self, one):
        self.one, self.key = one, (0, 0)

    def __getattr__(self, law):
        def draw(*values, **options):
            rounds, place = self.key
            self.key = self.one.rounds, place + 1 if rounds == self.one.rounds else 0
            if isinstance(self.one.store, Store):
                self.key = self.one.rounds, self.one.store.place - 1
            rng = np.random.default_rng([*self.key, 8])
            return getattr(SimulatedNoise(rng), law)(*values, **options)

        return draw


def cutting(one, rng):
    """Calls of this learner are now and then cut off: at an update of its algorithm, at a draw or
    at its commit, before or after it."""

    def cut(call):
        def run(*arguments):
            if rng.random() < 0.03:
                raise Cut
            result = call(*arguments)
            if rng.random() < 0.03:
                raise Cut
            return result

        return run

    one.algorithm.update = cut(one.algorithm.update)
    one.store.commit = cut(one.store.commit)
    one.algorithm.noise = CommittedNoise(Keyed(one), cut(one.store.once))
    return one


def play(name, delay, rounds, db=None):
    """(arms, state); in a store by two objects, whose calls are cut off and done again."""
    rng, world, arms, cuts = np.random.default_rng(5), World(name), [], 0
    options = {"delay": delay} | SHORT.get(name, {})
    options |= {"store": db} if db else {}
    eye, *ones = (learner(name, **options) for _ in range(3))
    ones = [cutting(one, rng) for one in ones] if db else ones[:1]
    if not db:
        ones[0].algorithm.noise = Keyed(ones[0])
    for t in range(1, rounds + 1):
        arm = ticket = None
        while arm is None:
            one = ones[rng.integers(len(ones))]
            try:
                arm = one.act(*world.context(t), person=dp.ONCE)
                ticket = arm.ticket
            except Cut:
                cuts += 1
                eye.estimates()
                if eye.rounds == t:  # it was cut off after its commit
                    played = eye.store.of_round(t)  # not of usca's output
                    arm, ticket = (played.arm, played.ticket) if played else (-1, None)
        arms.append(int(arm))
        if ticket is None or one.algorithm.over:
            break
        while True:
            one = ones[rng.integers(len(ones))]
            try:
                one.update(world.reward(t, arm), ticket)
                break
            except Cut:
                cuts += 1
    assert bool(cuts) == bool(db)
    return arms, state(eye if db else one)


@pytest.mark.parametrize("delay", [1, 3])
@pytest.mark.parametrize("name", DEPLOYED)
def test_a_call_is_whole_or_not_at_all(name, delay, db):
    """Cut off at random and done again: the arms and the state of a run that nothing disturbs."""
    rounds = LONG.get(name, ROUNDS) // (8 if name == "dp-se" else 1) + delay
    arms, kept = play(name, delay, rounds, db)
    straight, state_of_it = play(name, delay, rounds)
    if arms[-1] >= 0:
        assert arms == straight
    assert kept == state_of_it or arms[-1] < 0


class Struck:
    """A port of a learner that is cut off after each draw, at its first and second time; `seen`:
    for each round, what each attempt at its draws has got."""

    def __init__(self, one, seen):
        self.one, self.port, self.seen = one, one.algorithm.noise, seen

    def __getattr__(self, law):
        def release(*values, **options):
            value = getattr(self.port, law)(*values, **options)
            attempts = self.seen.setdefault(self.one.rounds, [[]])
            attempts[-1].append(np.array(value).tolist())
            if len(attempts) < 3:
                attempts.append([])
                raise Cut
            return value

        return release


@pytest.mark.parametrize("name", PRIVATE)
def test_what_is_drawn_is_drawn_once_whatever_cuts_off_what_is_computed_from_it(name, db):
    """Each attempt at a count, by either of two objects, gets the numbers of the one before. So a
    time limit that strikes where a number takes long to compute with selects nothing. A reward that
    comes in between does not count: what was drawn is of those that had come."""
    world, seen, ones = World(name), {}, []
    for _ in range(2):
        options = {"delay": 2, "store": db, "noise": "exact", "seed": None}
        one = learner(name, **options | SHORT.get(name, {}))
        one.algorithm.noise = Struck(one, seen)
        ones.append(one)
    given, cuts = [], 0
    for t in range(1, LONG.get(name, ROUNDS) + 3):
        for one in (*ones, *ones):
            try:
                arm = one.act(*world.context(t), person=dp.ONCE)
                break
            except Cut:
                cuts += 1
                due = one.store.of_round(t - 3)
                assert due.reward is not None
                assert not ones[0].update(world.reward(t, 0), due.ticket)
        if one.algorithm.over:
            break
        given.append((arm, t))
        if t % 5:
            one.update(world.reward(t, arm), arm.ticket)
    assert cuts > 0
    for attempts in seen.values():
        for first, second in itertools.pairwise(attempts):
            assert second[: len(first)] == first
    assert one.store.sql("SELECT count(*) FROM drawn") == [(0,)]


def test_noise_is_drawn_where_rewards_are_counted_alone(db):
    """An algorithm of one's own that draws in `act` is refused: the draw would be committed with
    half of the call."""

    class Eager(dp.Bandit):
        def index(self):
            return self.noise.laplace(np.zeros(self.K), 1.0)

        def update(self, arm, reward):
            self.released(arm)

    one = dp.learner(Eager, **LAZY, **ONE, store=db)
    with pytest.raises(dp.InputError, match="drawn in update alone"):
        [one.act(person=dp.ONCE) for _ in range(9)]


def test_a_learner_in_memory_is_of_no_use_once_cut_off():
    one = learner("lazy-dp-ts")
    one.act(person=dp.ONCE)
    one.algorithm.update = lambda *args: (_ for _ in ()).throw(Cut)
    with pytest.raises(Cut):
        one.update(1.0)
    for call in (one.act, one.estimates, lambda: one.update(1.0), lambda: one.retire(0)):
        with pytest.raises(dp.InputError, match="cut off in its middle"):
            call()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_timers_cut_nothing_in_two(db):
    """33 of them, at any place in the code of a call: each reward counts once."""
    one = dp.learner("na-imed", **LAZY, delay=5, store=db)
    cuts, given = 0, {}

    def ring(*args):
        raise Cut

    begun = time.monotonic()
    for _ in range(5):
        one.update(1.0, one.act(person=dp.ONCE).ticket)
    usual = (time.monotonic() - begun) / 5
    before = signal.signal(signal.SIGALRM, ring)
    try:
        rng = np.random.default_rng(1)
        while cuts < 33 or len(given) < 20:
            try:
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-4, 3 * usual))
                for _ in range(20):  # not for ever: where garbage is collected it is swallowed
                    arm = one.act(person=dp.ONCE)
                    given[arm.ticket] = given.get(arm.ticket, 0) + one.update(1.0, arm.ticket)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except Cut:
                cuts += 1
            except dp.InputError:  # the alarm rang while a call was taken back
                one = dp.learner("na-imed", **LAZY, delay=5, store=db)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert max(given.values()) == 1
    assert_consistent(db, one)


FILES = (
    "learner.py", "requests.py", "memory.py", "columns.py", "store.py", "database.py", "port.py",
    "na_imed.py", "anytime_lazy_ucb.py", "rounds.py",
)  # fmt: skip


def lines_of(call, last):
    """How many lines of the library it runs; at number `last` it is cut off."""
    seen = 0

    def trace(frame, event, arg):
        nonlocal seen
        if os.path.basename(frame.f_code.co_filename) not in FILES:
            return None
        seen += event == "line"
        if event == "line" and seen == last:
            raise Cut
        return trace

    try:
        sys.settrace(trace)
        call()
    finally:
        sys.settrace(None)
    return seen


@pytest.mark.parametrize("other", [False, True])
@pytest.mark.parametrize(("delay", "draws"), [(1, False), (2, False), (1, True)])
def test_an_exception_at_any_line_of_a_call_cuts_nothing_in_two(delay, draws, other, db):
    """At the first line that runs, at the second, and so on, also where a call is taken back: what
    is in the file is what a copy says that did all of the call or nothing. Before each a round that
    nothing cuts off, of the same object or the other one. draws: each reward is a batch.
    Now and then in a new file, since a cut has the object read all that has been released."""

    def made():
        learner = dp.learner("lazy-dp-ts" if draws else "na-imed", **LAZY, delay=delay, store=file)
        learner.store.sql("PRAGMA synchronous=OFF")  # no power fails here
        if draws:
            learner.algorithm.size = lambda i: 1
        return learner

    line, ends, counted = 0, 0, 0
    while ends < 2:
        line, ends = line + 1, 0
        if line % 20 == 1:
            file = db.with_suffix(f".{line}")
            one, eye = made(), made()
        for what in ("act", "update"):
            if one.store.within:  # it was cut off in a cut
                one = made()
            whole = eye if other else one
            arm = whole.act(person=dp.ONCE)
            call = partial(one.update, 1.0, arm.ticket)
            if what == "act":
                whole.update(1.0, arm.ticket)
                call = partial(one.act, person=dp.ONCE)
            eye.estimates()
            before, late = eye.rounds, eye.late
            with suppress(Cut):
                ends += lines_of(call, line) < line
            eye.estimates()
            assert_consistent(file, eye)
            counted += len(eye.algorithm.releases)
            assert eye.rounds - before in ((0, 1) if what == "act" else (0,))
            assert eye.late == late
    assert line > 150
    assert counted > 1000


def assert_consistent(db, one):
    """Plays and rounds, counted rewards and rounds that are over: all the same numbers."""
    shown, algorithm = one.estimates(), one.algorithm
    assert sum(shown["plays"]) == one.rounds
    waiting = one.store.sql("SELECT count(*) FROM pending")[0][0]
    assert waiting == min(one.rounds, one.delay + 1)
    released = sum(n for *_, n in algorithm.releases)
    assert released + algorithm.rewards.sum() == one.rounds - waiting
    assert one.name != "na-imed" or algorithm.n.sum() == released


WORKER = """
import os, sys, time
import dpbandits as dp
db, log, me, rounds = *sys.argv[1:4], int(sys.argv[4])
one = dp.learner("na-imed", arms=3, epsilon=1.0, delay=50, contributions=2, store=db)
out = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
waiting = []
while one.rounds < rounds:
    try:
        arm = one.act(person=f"{me}.{one.rounds // 3}")
    except dp.UsedUp:
        continue
    os.write(out, f"act {arm.ticket} {arm}\\n".encode())
    waiting.append(arm)
    if len(waiting) > 7:
        arm = waiting.pop(0)
        taken = one.update((one.rounds * 7 + arm) % 10 / 10, arm.ticket)
        os.write(out, f"{'taken' if taken else 'late'} {arm.ticket}\\n".encode())
"""


def test_killed_workers_lose_nothing_that_was_said_and_count_nothing_twice(tmp_path, db):
    """Two of them on one file, of which one is killed now and then."""
    log, killed, rng = tmp_path / "log", 0, np.random.default_rng(2)
    workers = {}
    one = dp.learner("na-imed", **LAZY, delay=50, contributions=2, store=db)
    number = 0
    while killed < 6:
        for slot in range(2):
            if slot not in workers or workers[slot].poll() is not None:
                number += 1
                command = [sys.executable, "-c", WORKER, db, log, f"w{number}", str(10**6)]
                workers[slot] = subprocess.Popen(command)
        before = one.rounds
        while one.rounds < before + 40:
            assert None in [worker.poll() for worker in workers.values()]
            one.estimates()
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.02))
        worker = workers[rng.integers(2)]
        worker.kill()
        killed += worker.wait() == -signal.SIGKILL
    for worker in workers.values():
        worker.kill()
        worker.wait()
    lines = [line.split() for line in log.read_text().splitlines()]
    tickets = [ticket for what, ticket, *_ in lines if what == "act"]
    taken = [ticket for what, ticket, *_ in lines if what == "taken"]
    assert len(set(tickets)) == len(tickets) > 100
    assert len(set(taken)) == len(taken) > 50
    assert_consistent(db, one)
    left = {path.name for path in tmp_path.iterdir()} - {"log"}
    assert left <= {"bandits.db", "bandits.db-wal", "bandits.db-shm"}
    assert max(n for (n,) in one.store.sql("SELECT rounds FROM person")) <= 2
    waiting = dict(one.store.sql("SELECT ticket, reward FROM pending"))
    assert all(waiting[ticket] is not None for ticket in taken if ticket in waiting)


def test_threads_share_a_learner(db):
    """Eight of them, also in memory."""
    for options in ({}, {"store": db}):
        one = dp.learner("na-imed", **LAZY, delay=240, **options)
        said = []

        def work(one=one, said=said):
            for _ in range(30):
                arm = one.act(person=dp.ONCE)
                said.append((arm.ticket, one.update(0.5, arm.ticket)))

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert one.rounds == len({ticket for ticket, _ in said}) == 240
        assert all(taken for _, taken in said)
    assert_consistent(db, one)


def forked(child):
    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    return process


def test_forked_processes_lose_nothing(db):
    """Forked while a thread is in a call, and going on when their parent has closed the file."""
    one, (read, write) = dp.learner("na-imed", **LAZY, delay=9, store=db), os.pipe()

    def act(rounds):
        for _ in range(rounds):
            os.write(write, f"{one.act(person=dp.ONCE).ticket}\n".encode())
        os.write(write, f"random{one.algorithm.rng.integers(2**63)}\n".encode())

    thread = threading.Thread(target=act, args=(60,))
    thread.start()
    children = [forked(lambda: act(40)) for _ in range(3)]
    thread.join()
    one.store.close()
    for child in children:
        child.join()
    os.close(write)
    with os.fdopen(read) as said:
        lines = said.read().split()
    tickets = [line for line in lines if not line.startswith("random")]
    assert len(set(lines)) == len(lines) == 184
    one = dp.learner("na-imed", **LAZY, delay=9, store=db)
    assert one.rounds == len(tickets)
    waiting = {ticket for (ticket,) in one.store.sql("SELECT ticket FROM pending")}
    assert waiting < set(tickets)
    assert_consistent(db, one)


def test_a_process_that_is_forked_in_a_call_refuses_the_file(db):
    one, (read, write) = dp.learner("na-imed", **LAZY, **ONE, store=db), os.pipe()
    update, children = one.algorithm.update, []

    def child():
        for call in (one.estimates, lambda: dp.learner("na-imed", **LAZY, **ONE, store=db)):
            try:
                call()
            except (dp.StoreError, dp.InputError) as error:
                os.write(write, f"{error}\n".encode())

    one.algorithm.update = lambda *args: (children.append(forked(child)), update(*args))
    for _ in range(3):
        one.act(person=dp.ONCE)
    for each in children:
        each.join()
    os.close(write)
    with os.fdopen(read) as said:
        assert said.read().count("forked in the middle of a call") == 2
    assert_consistent(db, one)


OTHER = """
import sys
import dpbandits as dp
one = dp.learner("na-imed", arms=3, epsilon=1.0, delay=100, store=sys.argv[1])
one.update(1.0, one.act(person=dp.ONCE).ticket)
"""


def test_a_second_object_takes_no_locks_away(db):
    """If one of a process were made by opening and closing the file, the next other process to end
    would take itself for the last one and remove the log that this process goes on writing."""
    ones = [dp.learner("na-imed", **LAZY, delay=100, store=db) for _ in range(2)]
    link = db.parent / "link.db"
    link.symlink_to(db)
    ones.append(dp.learner("na-imed", **LAZY, delay=100, store=link))
    for k in range(3):
        subprocess.run([sys.executable, "-c", OTHER, db], check=True)
        for one in ones:
            assert one.update(1.0, one.act(person=dp.ONCE).ticket)
        assert (db.parent / "bandits.db-wal").exists()
        assert ones[0].estimates() == ones[1].estimates()
        assert ones[1].rounds == 4 * k + 4
    assert_consistent(db, ones[0])


def test_a_person_has_a_budget(db):
    """Over objects and restarts; a name that is a number is the same as its text; no error says who
    it was, and the file has no names."""
    for options in ({}, {"store": db}):
        ones = [dp.learner("na-imed", **LAZY, delay=9, contributions=3, **options)]
        ones += (
            [dp.learner("na-imed", **LAZY, delay=9, contributions=3, **options)]
            if options
            else ones
        )
        for k in range(3):
            ones[k % 2].act(person=(4711, "4711", np.int64(4711))[k])
            with pytest.raises(dp.InputError, match="arms"):
                ones[0].act(person=4711, allowed=[7])  # uses nothing up
        with pytest.raises(dp.UsedUp) as error:
            ones[0].act(person=4711)
        assert "4711" not in str(error.value)
        assert ones[0].rounds == 3
        ones[1].act(person="another")
        for wrong in (4711.0, True, ["4711"]):
            with pytest.raises(dp.InputError, match="person"):
                ones[0].act(person=wrong)
    for nobody in ({}, {"person": None}, {"person": ""}):
        with pytest.raises(dp.InputError, match="person"):
            ones[0].act(**nobody)
    one = dp.learner("lazy-dp-ts", **LAZY, delay=9, store=db, name="other")
    one.act(person=4711)  # of its own budget
    one.act(person=dp.ONCE)  # who come once
    del one, ones  # the file is closed: only then it may be opened here
    assert b"4711" not in db.read_bytes()


def test_learners_can_share_a_budget(db):
    options = {"epsilon": 1.0, "delay": 9, "contributions": 3, "store": db, "budget": "all"}
    one = dp.learner("na-imed", arms=3, name="offers", **options)
    two = dp.learner("lazy-dp-ts", arms=5, name="colours", **options)
    for each in (one, two, one):
        each.act(person="anna")
    for each in (one, two):
        with pytest.raises(dp.UsedUp):
            each.act(person="anna")
    assert "backup" in one.privacy.copies
    assert "of all learners of the file with budget='all' together" in one.privacy.person
    for other in ({"epsilon": 2.0}, {"contributions": 4}, {"noise": "simulated", "seed": 1}):
        with pytest.raises(dp.InputError, match="the same promise"):
            dp.learner("na-imed", arms=3, name="third", **options | other)
    dp.learner("na-imed", arms=3, name="third", epsilon=2.0, delay=1, store=db)
    elsewhere = options | {"epsilon": 2.0, "budget": "others"}
    dp.learner("na-imed", arms=3, name="fourth", **elsewhere).act(person="anna")
    with pytest.raises(dp.InputError, match="store="):
        dp.learner("na-imed", **LAZY, name="x")


def test_learners_whose_losses_add_up_otherwise_share_no_budget(db):
    """Of selections the conversion for Gaussian noise says nothing: docs/proofs/FL.md, A5."""
    about = {
        "arms": 2,
        "d": 2,
        "epsilon": 1.0,
        "delta": 1e-6,
        "contributions": 2,
        "delay": 1,
        "store": db,
    }
    dp.learner("dp-linear", name="one", budget="all", **about)
    dp.learner("leaky-linear", name="two", budget="all", **about)
    with pytest.raises(dp.InputError, match="the same promise"):
        dp.learner("dp-signs", name="three", sparsity=1, budget="all", **about)
    dp.learner("dp-signs", name="three", sparsity=1, budget="others", **about)


@pytest.mark.parametrize("other", [
    {"epsilon": 2.0}, {"arms": 4}, {"delay": 3}, {"contributions": 2}, {"rewards": "clip"},
    {"reward_range": (0, 2)}, {"noise": "simulated"}, {"budget": "all"}, {"allowed_by": "public"},
], ids=str)  # fmt: skip
def test_a_learner_goes_on_with_the_same_arguments_alone(other, db):
    dp.learner("na-imed", **LAZY, **ONE, store=db)
    with pytest.raises(dp.InputError, match=f"has {next(iter(other))} = "):
        dp.learner("na-imed", **LAZY | ONE | other, store=db)
    with pytest.raises(dp.InputError, match='has algorithm = "na-imed", not "dp-imed"'):
        dp.learner("dp-imed", **LAZY, **ONE, store=db)


def test_files(tmp_path, db):
    (tmp_path / "new").mkdir()
    old = os.umask(0)
    try:
        one = dp.learner("na-imed", **LAZY, **ONE, store=tmp_path / "new" / "bandits.db")
    finally:
        os.umask(old)
    one.act(person=dp.ONCE)
    files = list((tmp_path / "new").iterdir())
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "new" / "bandits.db")
    assert dp.learner("na-imed", **LAZY, **ONE, store=link).rounds == 1
    assert link.is_symlink()
    (tmp_path / "open.db").touch(0o644)
    (tmp_path / "twice.db").touch(0o600)
    (tmp_path / "again.db").hardlink_to(tmp_path / "twice.db")
    for wrong, said in (
        (tmp_path / "again.db", "several names"),
        ("\ud800", "name of a file"), (tmp_path / "open.db", "chmod 600"),
        (tmp_path, "allowed: a file"), ("", "name of a file"),
        (7, "name of a file"), ("a\0b", "name of a file"),
    ):  # fmt: skip
        with pytest.raises(dp.InputError, match=said):
            dp.learner("na-imed", **LAZY, **ONE, store=wrong)
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(dp.InputError, match="allowed: a file"):
        dp.learner("na-imed", **LAZY, **ONE, store=tmp_path / "pipe")
    with pytest.raises(dp.StoreError):
        dp.learner("na-imed", **LAZY, **ONE, store="/proc/none/bandits.db")
    for text in (b"CREATE TABLE learner", b'{"algorithm": "na-imed"', b'{"rounds":'):
        one = dp.learner("na-imed", **LAZY, **ONE, store=db)
        del one  # it is closed, and can be damaged
        content = db.read_bytes()
        assert text in content
        db.write_bytes(content.replace(text, text[:-1] + b"\xc2"))
        with pytest.raises(dp.StoreError):
            dp.learner("na-imed", **LAZY, **ONE, store=db).estimates()
        db.unlink()
    for pragma, said in (("user_version=4", "format 4"), ("application_id=4", "not a store")):
        other = sqlite3.connect(db)
        other.execute("CREATE TABLE IF NOT EXISTS t (x)")
        other.execute(f"PRAGMA application_id={APPLICATION}")
        other.execute(f"PRAGMA {pragma}")
        other.close()
        db.chmod(0o600)
        with pytest.raises(dp.InputError, match=said):
            dp.learner("na-imed", **LAZY, **ONE, store=db)
    db.write_bytes(b"no database" * 1000)
    db.chmod(0o600)
    with pytest.raises(dp.StoreError, match="not a database"):
        dp.learner("na-imed", **LAZY, **ONE, store=db)


@pytest.mark.parametrize("name", ["bandits.db", "bandits.db-wal"])
def test_a_file_that_is_deleted_or_replaced_is_not_written(name, db):
    """What would be acknowledged there would be lost; no new one is made in its place."""
    one = dp.learner("na-imed", **LAZY, **ONE, store=db)
    one.act(person="anna")
    (db.parent / name).rename(db.parent / "away")
    for call in (lambda: one.act(person="ben"), one.estimates):
        for _ in range(2):
            with pytest.raises(dp.StoreError, match="deleted or replaced"):
                call()
    assert not (db.parent / name).exists()
    (db.parent / name).write_bytes((db.parent / "away").read_bytes())  # a backup
    with pytest.raises(dp.StoreError, match="deleted or replaced"):
        one.act(person="ben")
    assert (one.rounds, sum(one.plays)) == (1, 1)


def test_a_full_disk_changes_nothing(db):
    """As SQLite says it where pages run out; with room again it goes on."""
    one, given = dp.learner("na-imed", **LAZY, delay=10_000, store=db), []
    one.store.sql("PRAGMA max_page_count=30")
    with pytest.raises(dp.StoreError, match="full"):
        given.extend(one.act(person=i).ticket for i in range(2000))
    assert 10 < one.rounds == len(given) == sum(one.plays) < 2000
    one.store.sql("PRAGMA max_page_count=100000")
    given.append(one.act(person=len(given)).ticket)
    assert one.rounds == len(set(given))


def test_a_learner_is_not_copied(db):
    for options in ({}, {"store": db}):
        one = dp.learner("na-imed", **LAZY, **ONE, **options)
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(dp.InputError, match="a copy"):
                copied(one)


def test_strange_texts_are_refused_or_nobodys(db):
    one = dp.learner("na-imed", **LAZY, **ONE, store=db)
    arm = one.act(person="\0")
    strange = ["", "x", arm.ticket + " ", "\ud800", "\0", "'; DROP TABLE state; --"]
    strange += [arm.ticket.upper(), arm.ticket[:16], 2 * arm.ticket, 16 * "00", 16 * "ff"]
    other = dp.learner("na-imed", **LAZY, **ONE, store=db, name="other")
    strange.append(other.act(person=dp.ONCE).ticket)  # of its first round, too
    for ticket in strange:
        assert not one.update(0.5, ticket)
    assert one.update(0.5, arm.ticket)
    for person in ("\ud800", "", b"x", 1.5, []):
        with pytest.raises(dp.InputError, match="person"):
            one.act(person=person)
    for name in ("\ud800", "", 3):
        for options in ({"name": name}, {"budget": name}):
            with pytest.raises(dp.InputError, match="texts"):
                dp.learner("na-imed", **LAZY, **ONE, store=db, **options)

    class Strange:
        def __iter__(self):
            raise RuntimeError("patient 4711")

    with pytest.raises(dp.InputError, match="whole numbers"):
        one.act(person="ben", allowed=Strange())
    assert one.rounds == 1


def test_a_counted_reward_is_gone_from_the_file(db):
    """And from SQLite's log, which is overwritten after 500 pages, and ends when all have closed
    it."""

    def content(end=""):
        command = [sys.executable, "-c", f"print(open({str(db) + end!r}, 'rb').read())"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    one = dp.learner("na-imed", arms=3, epsilon=1.0, delay=1, store=db)
    arm = one.act(person=dp.ONCE)
    one.update(0.5, arm.ticket)
    assert arm.ticket in content("-wal")
    one.store.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    assert arm.ticket in content()
    for _ in range(2):
        one.act(person=dp.ONCE)
    one.store.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    assert arm.ticket not in content()
    one.store.sql("PRAGMA synchronous=OFF")  # to be there sooner
    first = [one.act(person=dp.ONCE).ticket for _ in range(100)]
    assert any(ticket in content("-wal") for ticket in first[:-2])
    for _ in range(300):
        one.act(person=dp.ONCE)
    left = content("-wal")
    assert len(left) > 1000
    assert not any(ticket in left for ticket in first)


@pytest.mark.parametrize("name", ["dp-signs", "fliphat", "usca"])
def test_long_lists_are_written_and_read_by_what_is_new(name, db):
    """Rows of an episode: what two objects in turn write and read does not grow with it."""
    world, ones, written = World(name), [learner(name, store=db) for _ in range(2)], []
    for t in range(60):
        one = ones[t % 2]
        before = one.store.sqlite.total_changes
        one.update(world.reward(t, 0), one.act(*world.context(t), person=dp.ONCE).ticket)
        written.append(one.store.sqlite.total_changes - before)
        if one.algorithm.over:
            break
    assert np.median(written[30:]) == np.median(written[:30]) < 14
    assert state(learner(name, store=db)) == state(ones[0]) == state(ones[1])


@pytest.mark.parametrize("name", ["lazy-dp-ts", "na-imed", "dp-linear"])
def test_a_call_writes_as_much_whatever_the_delay_is(name, db):
    """Rows and pages that an action and its reward change, with one round that waits and with 500;
    one commit for each, and one more for each draw. Of rows the least of 50 calls is compared,
    which more than a quarter of calls have (flake rate below 1e-6)."""
    world, written, pages = World(name), [], []
    for delay in (1, 500):
        options = {"name": f"delay {delay}", "delay": delay, "noise": "exact", "seed": None}
        one = learner(name, store=db, **options)
        for pragma in ("wal_autocheckpoint=0", "synchronous=OFF"):
            one.store.sql(f"PRAGMA {pragma}")
        rows, sizes, said = [], [], []
        for t in range(delay + 60):
            if t == delay + 10:
                one.store.sqlite.set_trace_callback(said.append)
            before = one.store.sqlite.total_changes
            arm = one.act(*world.context(t), person=dp.ONCE)
            one.update(world.reward(t, arm), arm.ticket)
            rows.append(one.store.sqlite.total_changes - before)
            sizes.append(os.stat(f"{db}-wal").st_size)
        written.append(min(rows[-50:]))
        assert np.median(rows[-50:]) < 16
        pages.append((sizes[-1] - sizes[-51]) / 50 / 4120)
        draws = sum(text.startswith("INSERT INTO drawn") for text in said)
        assert said.count("COMMIT") == 100 + draws
        assert len(said) < 50 * 20
    assert written[0] == written[1]
    assert 1 < pages[1] < pages[0] + 2
    assert pages[1] < 8


def test_a_refusal_reads_nothing_again(db):
    """Who has used up the rounds, and wrong input, cost no more than a look."""
    one = dp.learner("na-imed", **LAZY, delay=5, store=db)
    one.act(person="anna")
    read, count = one.store.read, []
    one.store.read = lambda: (count.append(1), read())[1]
    for _ in range(3):
        with pytest.raises(dp.UsedUp):
            one.act(person="anna")
        with pytest.raises(dp.InputError):
            one.act(allowed=[7], person=dp.ONCE)
    assert not count
    dp.learner("na-imed", **LAZY, delay=5, store=db).act(person=dp.ONCE)
    one.act(person=dp.ONCE)
    assert len(count) == 1


def test_columns():
    values = [
        None, 3, -1.5, True, [1, 2.5, None], {"a": np.arange(3)}, 2**80, [np.zeros((2, 0))],
        np.arange(6.0).reshape(2, 3), np.array(2.5), np.zeros(0, int), np.float64(0.1),
    ]  # fmt: skip
    for value in values:
        again = unpacked(packed(value))
        assert json.dumps(again, default=repr) == json.dumps(value, default=repr)
        assert getattr(again, "dtype", float) == getattr(value, "dtype", float)
    for wrong in (object(), np.array(["a"]), {1, 2}):
        with pytest.raises(dp.InputError, match="state"):
            packed(wrong)


def test_an_open_count_is_completed_before_anything_else(db):
    """Each draw is cut off; another object acts, adds an arm or retires one: what it releases is
    what was drawn, and every reward is in one sum."""
    options = {"arms": 3, "epsilon": 20.0, "delay": 1, "store": db}
    one, two = (dp.learner("na-imed", **options) for _ in range(2))
    once, drawn = one.algorithm.noise.once, []

    def cut(draw):
        drawn.append(once(draw))
        raise Cut

    one.algorithm.noise.once = cut
    for i in range(60):
        try:
            one.act(person=f"one {i}")
        except Cut:
            {3: two.add_arm, 5: lambda: two.retire(0)}.get(
                len(drawn), lambda i=i: two.act(person=f"two {i}")
            )()
    shown = two.estimates()
    assert len(drawn) > 10
    sums = two.algorithm.sums
    assert sorted(sums[sums != 0]) == sorted(drawn)
    assert (len(shown["plays"]), shown["retired"]) == (4, [0])
    assert_consistent(db, two)
