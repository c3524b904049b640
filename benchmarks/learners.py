"""Learners driven from outside, beside `dpbandits simulate`; what a decision costs; kills.

    python benchmarks/learners.py regret    # writes benchmarks/learners.csv
    python benchmarks/learners.py costs     # beside mabwiser and river, if they are installed
    python benchmarks/learners.py kills 200

regret: mean regret (USCA: the gap of its output) with exact and with simulated noise, and of the
simulation, with 95% intervals and how many standard errors they are apart. costs: CPU time of act
and update with five arms, in memory and in a store. kills: of workers on one file.
"""

import argparse
import csv
import math
import multiprocessing
import os
import resource
import signal
import sqlite3
import tempfile
import time
from functools import partial
from pathlib import Path

from dpbandits.reproduction import processor

processor.pin()  # before NumPy: one thread

import numpy as np

import dpbandits as dp
from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.models import parse
from dpbandits.kernel.problem import UscaSetting, problem_of
from dpbandits.sparse.dense import DenseSetting, Instance
from dpbandits.sparse.dp_linear import scaled
from dpbandits.sparse.problem import contexts, reward_noise

TABLE = Path(__file__).with_suffix(".csv")
MEANS = [0.9, 0.6, 0.5, 0.4, 0.3]
FULL = ("rnm-ftnl", "ftnl")
BANDIT = {"means": MEANS}
SPARSE = {"d": 20, "sparsity": 4, "true_sparsity": 2, "beta": [0.8, -0.6], "rho": 0.1}
FLIPHAT = {"step_size": 0.3, "steps_factor": 0.5, "clip": 3.0}
USCA = {"grid": 9, "noise": 0.1}
CASES = {  # name -> setting, epsilon, horizon, seeds of a learner
    "lazy-dp-ts": (BANDIT, 1.0, 2000, 200),
    "anytime-lazy-ucb": (BANDIT, 1.0, 2000, 200),
    "dp-se": ({"means": [0.9, 0.77]}, 1.0, 20_000, 100),  # ends after one epoch or two
    "adap-ucb": (BANDIT, 1.0, 2000, 200),
    "adap-klucb": (BANDIT, 1.0, 2000, 200),
    "dp-klucb": (BANDIT, 1.0, 2000, 100),
    "dp-imed": (BANDIT, 1.0, 2000, 200),
    "na-imed": (BANDIT, 1.0, 2000, 100),
    "na-tt": (BANDIT, 1.0, 2000, 100),  # ends before; then its answer is played
    "rnm-ftnl": (BANDIT, 0.5, 1000, 200),
    "ftnl": (BANDIT, 0.5, 1000, 200),
    "fliphat": (SPARSE | FLIPHAT, 5.0, 500, 100),
    "dp-signs": (SPARSE, 5.0, 1000, 100),
    "dp-linear": (SPARSE | {"clip": 3.0}, 5.0, 1000, 100),
    "leaky-linear": ({"d": 2, "arms": 2, "delta": 1e-6}, 5.0, 1000, 100),
    "usca": (USCA, 5.0, 200, 200),
}


def regret_of_bandit(name, setting, epsilon, horizon, run, **noise) -> float:
    options = {"horizon": horizon} if name == "dp-se" else {}
    means = np.array(setting["means"])
    learner = dp.learner(name, arms=len(means), epsilon=epsilon, **noise, **options)
    rng, total = np.random.default_rng([run, 1]), 0.0
    for _ in range(horizon):
        arm = learner.algorithm.answer[0] if learner.algorithm.over else learner.act()
        rewards = (rng.random(len(means)) < means).astype(float)
        if not learner.algorithm.over:
            learner.update(rewards if name in FULL else rewards[arm])
        total += means.max() - means[arm]
    return total


def regret_of_sparse(name, setting, epsilon, horizon, run, **noise) -> float:
    world = parse(get_algorithm(name).setting, setting, "setting")
    options = {"arms": world.arms, "d": world.d, "delta": world.delta}
    options |= {"shared": True} if name == "dp-linear" else {"sparsity": world.sparsity}
    if name == "fliphat":
        keys = ("step_size", "steps_factor", "clip", "sigma", "b_max")
        options |= {key: getattr(world, key) for key in keys}
    learner = dp.learner(name, epsilon=epsilon, **options, **noise)
    rng, total = np.random.default_rng([run, 1]), 0.0
    for _ in range(horizon):
        x = contexts(world, rng, 1)[0]
        means = x @ world.signal
        arm = learner.act(x)
        reward = means[arm] + reward_noise(world, rng, 1)[0]
        learner.update(scaled(world, reward) if name == "dp-linear" else reward)
        total += means.max() - means[arm]
    return total


def regret_of_dense(name, setting, epsilon, horizon, run, **noise) -> float:
    world, rng = parse(DenseSetting, setting, "setting"), np.random.default_rng([run, 1])
    learner, people = (
        dp.learner(name, epsilon=epsilon, **setting, **noise),
        Instance(world, run, rng),
    )
    total = 0.0
    for _ in range(horizon):
        x = people.contexts(1)
        means = people.means(x)[0]
        arm = learner.act(x[0])
        learner.update(float(rng.random() < means[arm]))
        total += means.max() - means[arm]
    return total


def gap_of_usca(name, setting, epsilon, horizon, run, **noise) -> float:
    world = problem_of(parse(UscaSetting, setting, "setting"))
    options = {"grid": world.setting.grid, "reward_noise": world.setting.noise}
    learner = dp.learner(name, epsilon=epsilon, horizon=horizon, **options, **noise)
    rng, side = np.random.default_rng([run, 1]), world.setting.grid
    for _ in range(horizon):
        c = int(rng.integers(side))
        x = learner.act((c + 0.5) / side)
        y = world.values[x, c] + world.setting.noise * (2 * rng.random() - 1)
        learner.update(y)
    c = int(rng.integers(side))
    return world.gaps[learner.act((c + 0.5) / side), c]


OUTSIDE = {
    "fliphat": regret_of_sparse, "dp-signs": regret_of_sparse, "dp-linear": regret_of_sparse,
    "leaky-linear": regret_of_dense, "usca": gap_of_usca,
}  # fmt: skip


def row(name, how, values, reference=None) -> dict:
    """Mean and 95% interval; how many standard errors it is from the simulation."""
    _, epsilon, horizon, _ = CASES[name]
    mean, error = np.mean(values), np.std(values, ddof=1) / math.sqrt(len(values))
    shown = {
        "learner": name, "epsilon": epsilon, "horizon": horizon, "how": how,
        "first_seed": 0, "seeds": len(values), "mean": f"{mean:.6g}",
        "low": f"{mean - 1.96 * error:.6g}", "high": f"{mean + 1.96 * error:.6g}",
    }  # fmt: skip
    if reference is not None:
        other = np.std(reference, ddof=1) / math.sqrt(len(reference))
        apart = abs(mean - np.mean(reference)) / math.hypot(error, other)
        shown["standard_errors_apart"] = f"{apart:.2f}"
    return shown


def regret(names) -> None:
    """Write the rows of these learners (all: none named); those of others stay."""
    kept = list(csv.DictReader(TABLE.read_text().splitlines())) if TABLE.exists() else []
    for name in names or CASES:
        rows = [row for row in kept if row["learner"] != name]
        setting, epsilon, horizon, count = CASES[name]
        reference = dp.run(name, setting, epsilon, horizon, range(2 * count), [horizon]).regret
        rows.append(row(name, "simulate", reference[:, 0]))
        play = OUTSIDE.get(name, regret_of_bandit)
        for how in ("simulated", "exact"):
            values = []
            for seed in range(count):
                noise = {"noise": how} | ({"seed": seed} if how == "simulated" else {})
                values.append(play(name, setting, epsilon, horizon, seed, **noise))
            rows.append(row(name, how, values, reference[:, 0]))
            print(rows[-1], flush=True)
        kept = rows
        with open(TABLE, "w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[-1]), restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


def others() -> dict:
    """name -> a maker of (act, update), of the libraries that are installed."""
    found: dict = {}
    try:
        from mabwiser.mab import MAB, LearningPolicy

        def of_mabwiser(policy):
            mab = MAB(arms=list(range(5)), learning_policy=policy, seed=1)
            mab.fit([0, 1, 2, 3, 4], [1, 0, 1, 0, 1])
            return mab.predict, lambda arm, x: mab.partial_fit([arm], [x])

        found["mabwiser UCB1"] = lambda: of_mabwiser(LearningPolicy.UCB1())
        found["mabwiser ThompsonSampling"] = lambda: of_mabwiser(LearningPolicy.ThompsonSampling())
    except ImportError:
        print("mabwiser: not installed")
    try:
        from river import bandit, proba

        def of_river(policy):
            return lambda: policy.pull(range(5)), policy.update

        found["river UCB"] = lambda: of_river(bandit.UCB(delta=1, seed=1))
        beta = proba.Beta
        found["river ThompsonSampling"] = lambda: of_river(bandit.ThompsonSampling(beta(), seed=1))
    except ImportError:
        print("river: not installed")
    return found


def ours(name, noise, rounds):
    options = {"horizon": rounds} if name == "dp-se" else {}
    learner = dp.learner(name, arms=len(MEANS), epsilon=1.0, noise=noise, **options)
    return learner.act, lambda arm, x: learner.update(x)


def microseconds(act, update, rewards) -> float:
    """CPU time of an action and its reward; `rewards` has those of all arms, for each round."""
    start = time.process_time()
    for each in rewards:
        arm = act()
        update(arm, each[arm] if isinstance(each, list) else each)
    return (time.process_time() - start) / len(rewards) * 1e6


def in_memory(rounds: int = 5000, repeats: int = 5) -> None:
    """All in one process, in turn; of each the least of its times, from its first round on."""
    rng = np.random.default_rng(1)
    rewards = (rng.random((rounds, len(MEANS))) < MEANS).astype(float)
    makers = others()
    for name in CASES:
        if name not in OUTSIDE and name != "na-tt":  # which ends
            for how in ("simulated", "exact"):
                makers[f"{name}, {how}"] = partial(ours, name, how, rounds)
    least = dict.fromkeys(makers, math.inf)
    for _ in range(repeats):
        for name, make in makers.items():
            columns = list(rewards) if name.split(",")[0] in FULL else rewards.tolist()
            least[name] = min(least[name], microseconds(*make(), columns))
    for name, value in least.items():
        print(f"{name}: {value:.1f} us of CPU")


STORED = {
    "lazy-dp-ts": {"arms": 5}, "na-imed": {"arms": 5},
    "dp-linear": {"arms": 5, "d": 30, "delta": 1e-6},
}  # fmt: skip


def in_a_file(repeats: int = 8, rounds: int = 100) -> None:
    """With as many rounds that wait as the delay allows; beside what two commits cost by
    themselves. Of each the least time; the disk's own, and that of other processes, is not in
    it, but what they throw out of the processor's caches is."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        bare = sqlite3.connect(Path(folder, "bare.db"), isolation_level=None)
        bare.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (x)")

        def commits():
            for _ in range(2):
                bare.execute("INSERT INTO t VALUES (1)")

        print(f"two commits: {least_time(commits, repeats, rounds):.0f} us of CPU", flush=True)
        for name, options in STORED.items():
            x = np.full(options["d"], 0.1) if "d" in options else None
            for delay in (1, 200, 20_000):
                path = Path(folder, f"{name}{delay}.db")
                learner = dp.learner(name, epsilon=1.0, delay=delay, store=path, **options)

                def call(learner=learner, x=x):
                    learner.update(0.5, learner.act(x, person=dp.ONCE).ticket)

                learner.store.sql("PRAGMA synchronous=OFF")  # to be there sooner
                while learner.rounds <= delay:
                    call()
                learner.store.sql("PRAGMA synchronous=FULL")
                spent = least_time(call, repeats, rounds)
                print(f"{name} in a file, delay {delay}: {spent:.0f} us of CPU", flush=True)


def least_time(call, repeats, rounds) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(rounds):
            call()
        times.append((time.process_time() - start) / rounds * 1e6)
    return min(times)


def costs() -> None:
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    in_memory()
    learner = dp.learner("lazy-dp-ts", arms=5, epsilon=1.0, noise="simulated", seed=1)
    used = []
    for rounds in (10**4, 10**5):
        while learner.rounds < rounds:
            learner.update(float(learner.act() == 0))
        used.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    print(f"after 10^5 rounds: {used[1] - used[0]} KiB more than after 10^4")
    in_a_file()


def work(path, log) -> None:
    """Act and learn, and write down what was said."""
    learner = dp.learner("na-imed", arms=5, epsilon=1.0, delay=50, store=path)
    out = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    while True:
        arm = learner.act(person=dp.ONCE)
        os.write(out, f"{arm.ticket}\n".encode())
        taken = learner.update(0.5, arm.ticket)
        os.write(out, f"{'taken' if taken else 'late'} {arm.ticket}\n".encode())


def kills(count: int) -> None:
    """kill -9 at random moments of one of two processes that act and learn on one file."""
    rng, killed, fork = np.random.default_rng(1), 0, multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory(dir=".") as folder:
        path, log = Path(folder, "bandits.db"), Path(folder, "log")
        learner = dp.learner("na-imed", arms=5, epsilon=1.0, delay=50, store=path)

        def start():
            child = fork.Process(target=work, args=(path, log))
            child.start()
            return child

        children = [start(), start()]
        while killed < count:
            before = learner.rounds
            while learner.rounds < before + 10:
                time.sleep(0.005)
                learner.estimates()
            time.sleep(rng.uniform(0, 0.02))
            child = children.pop(rng.integers(2))
            child.kill()
            child.join()
            killed += child.exitcode == -signal.SIGKILL
            children.append(start())
        for child in children:
            child.kill()
            child.join()
        said = log.read_text().split("\n")
        tickets = [line for line in said if line and " " not in line]
        taken = [line for line in said if line.startswith("taken")]
        plays, counted = sum(learner.estimates()["plays"]), learner.algorithm.n.sum()
        counted += learner.algorithm.rewards.sum()
        waiting = dict(learner.store.sql("SELECT ticket, reward FROM pending"))
    said = [line[6:] for line in taken]
    lost = sum(ticket in waiting and waiting[ticket] is None for ticket in said)
    twice = len(tickets) - len(set(tickets)), len(taken) - len(set(taken))
    print(f"killed {killed} times in {plays} rounds: {twice} tickets and rewards twice, "
          f"{lost} of {len(said)} rewards that were taken lost, {counted} counted + {len(waiting)} "
          f"waiting = {plays}")  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["regret", "costs", "kills"])
    parser.add_argument("count", nargs="?", type=int, default=50, help="of kills")
    parser.add_argument("--only", nargs="*", default=[], choices=list(CASES), metavar="LEARNER")
    options = parser.parse_args()
    if options.what == "regret":
        regret(options.only)
    else:
        costs() if options.what == "costs" else kills(options.count)
