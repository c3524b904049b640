"""Break runs on purpose, and ask whether anything was lost.   make torture MINUTES=10

A copy of the checkout makes everything once at the smoke scale, undisturbed. Then, until the time
is up: a few of its files are removed, a run is started, and something is done to it (the functions
in `troubles.py`), up to three times in a row. Plain runs, as a user would start them, must then end
well, and every file must hold what it held at first. Exit code 1 if one does not.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
import troubles  # noqa: E402
from checkout import Checkout  # noqa: E402

TRIES = 4  # runs that may follow until all is well
IN_A_ROW = 3  # troubles, at most, before a plain run


def main() -> int:
    options = arguments()
    if os.geteuid() == 0 and "TORTURE_MOUNTS" not in os.environ:  # mounts that nobody else sees
        os.environ["TORTURE_MOUNTS"] = "private"
        again = ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv]
        os.execvp(again[0], again)
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        checkout = Path(folder, "checkout")  # not the folder itself: it may become a mount point
        checkout.mkdir()
        try:
            return torture(checkout, options)
        finally:
            if os.path.ismount(checkout):
                subprocess.run(["umount", "--lazy", checkout], check=False)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--papers", default="hu,fl,us,kl", help="comma list (default: all)")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    names = [kind.__name__ for kind in troubles.ALL]
    parser.add_argument("--troubles", default="all", help=f"comma list of {', '.join(names)}")
    options = parser.parse_args()
    options.kinds = names if options.troubles == "all" else options.troubles.split(",")
    if unknown := set(options.kinds) - set(names):
        parser.error(f"no such trouble: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    return options


def torture(folder: Path, options: argparse.Namespace) -> int:
    end = time.monotonic() + 60 * options.minutes
    rng = random.Random(options.seed)
    print(f"seed {options.seed}, papers {options.papers}: the undisturbed run", flush=True)
    checkout = Checkout(folder, options.papers)
    first = checkout.run()
    assert first.code == 0, first.output[-4000:]
    reference = checkout.contents()
    remove_some(checkout, rng)
    patience = checkout.run().seconds
    print(f"{len(reference)} files in {first.seconds:.0f} s, some in {patience:.0f} s", flush=True)
    kinds = [getattr(troubles, name) for name in options.kinds]
    shuffled = lambda kinds: rng.sample(kinds, k=len(kinds))  # noqa: E731
    tried, hit, needed, lost = Counter(), Counter(), Counter(), []
    deck = [*kinds] if options.troubles != "all" else shuffled(kinds)  # the first: as asked for
    while time.monotonic() < end:
        row = []
        for _ in range(rng.randint(1, IN_A_ROW)):
            deck = deck or shuffled(kinds)
            trouble = deck.pop(0)
            remove_some(checkout, rng)
            name, said, why = suffer(trouble, checkout, rng, patience)
            if said is None:  # each hits a run before any does again
                deck.insert(rng.randint(0, len(deck)), trouble)
            row.append(name)
            tried[name] += 1
            hit[name] += said is not None
            lost += report(f"{sum(tried.values())} {name}: {said or 'came too late'}", why)
        runs, gone = recover(checkout, reference)
        needed |= Counter(dict.fromkeys(row, runs))
        lost += report(f"   plain runs until well: {runs}", [f"{row}: {path}" for path in gone])
    checkout.run()  # what a killed run wrote until it died is swept when the next one starts
    lost += [f"left over: {path}" for path in checkout.results.rglob("*.partial*")]
    print("\n| what | times | hit a run | runs until well, at most |\n|---|---|---|---|")
    for name in sorted(tried):
        print(f"| {name} | {tried[name]} | {hit[name]} | {needed[name]} |")
    print(
        f"\n{sum(tried.values())} troubles in {options.minutes:g} minutes, {len(lost)} files lost"
    )
    return 1 if lost else 0


def suffer(trouble, checkout: Checkout, rng: random.Random, patience: float):
    """The trouble's name, what it was (None if it came too late), what went wrong."""
    name = trouble.__doc__.split(":")[0]
    try:
        return name, trouble(checkout, rng, patience), []
    except AssertionError as wrong:  # a run did not do what it has to
        return name, "not as it has to be", [f"{name}: {wrong}"[-3000:]]


def report(line: str, lost: list[str]) -> list[str]:
    print(time.strftime("%H:%M:%S"), line, flush=True)
    for path in lost:
        print(f"   LOST {path}", flush=True)
    return lost


def remove_some(checkout: Checkout, rng: random.Random) -> None:
    """So that there is something to do."""
    for path in rng.sample(checkout.outputs(), k=rng.randint(1, 4)):
        path.unlink(missing_ok=True)


def recover(checkout: Checkout, reference: dict[str, str]) -> tuple[int, list[str]]:
    """Runs until one ends well; then the files that are not what they were."""
    count, done = 1, checkout.run()
    while done.code and count < TRIES:
        count, done = count + 1, checkout.run()
    if done.code:
        return count, [f"no run ended well: {done.output[-3000:]}"]
    found = checkout.contents()
    names = sorted(reference.keys() | found.keys())
    return count, [name for name in names if reference.get(name) != found.get(name)]


if __name__ == "__main__":
    sys.exit(main())
