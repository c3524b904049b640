"""Make held_out.csv, regret on instances that na-imed was not tuned on, and the table of rivals.md.

    python docs/held_out.py [run]

Two minutes of one core (without `run` the table alone is written again). All algorithms meet the
same instances, arms in random order. A ratio is that of mean regrets, its geometric mean over the
families; intervals: 2,000 bootstrap samples of the instances of every family.
"""

import csv
import sys
from itertools import product
from pathlib import Path

import numpy as np

import dpbandits as dp

TABLE, PAGE = Path(__file__).with_suffix(".csv"), Path(__file__).with_name("rivals.md")
MARKS = ("<!-- table of held_out.py -->", "<!-- end of it -->")
SEED, INSTANCES, SAMPLES = 20261128, 40, 2000
UNIFORM = {"two arms": (2, 0, 1), "five arms": (5, 0, 1), "twenty arms": (20, 0, 1),
           "rates of 0.01 to 0.05": (5, 0.01, 0.05)}  # fmt: skip
FIXED = {
    "one of ten ahead by 0.05": [0.55] + 9 * [0.5],
    "one of five ahead by 0.1": [0.5] + 4 * [0.4],
}
FAMILIES = [*UNIFORM, *FIXED]
OURS, RIVALS = "na-imed", ("lazy-dp-ts", "dp-klucb", "dp-imed")
EPSILON, HORIZON = (0.1, 0.25, 1.0, 5.0), (10**3, 10**4, 10**5)


def means_of(family, instance) -> list[float]:
    rng = np.random.default_rng([SEED, FAMILIES.index(family), instance])
    if family in FIXED:
        return rng.permutation(FIXED[family]).tolist()
    arms, low, high = UNIFORM[family]
    return (low + (high - low) * rng.random(arms)).tolist()


def rows(family, epsilon, horizon) -> list[dict]:
    """The regret of each instance."""
    found, place = [], {"family": family, "epsilon": f"{epsilon:g}", "horizon": str(horizon)}
    for i in range(INSTANCES):
        bandit = {"means": means_of(family, i)}
        regret = {
            name: dp.run(name, bandit, epsilon, horizon, [i], [horizon]).regret[0, 0]
            for name in (OURS, *RIVALS)
        }
        found.append(place | {name: f"{x:.6g}" for name, x in regret.items()})
    return found


def ratio(regrets, statistic) -> float:
    """regrets: of each family, instances x (ours, a rival's)."""
    logs = [np.log(statistic(x[:, 1]) / statistic(x[:, 0])) for x in regrets]
    return float(np.exp(np.mean(logs)))


def cell(regrets) -> str:
    """Ratio of means and its 95% interval; ratio of 95th percentiles."""
    rng = np.random.default_rng(SEED)
    again = [
        ratio([x[rng.integers(len(x), size=len(x))] for x in regrets], np.mean)
        for _ in range(SAMPLES)
    ]
    low, high = np.quantile(again, [0.025, 0.975])
    tail = ratio(regrets, lambda x: np.quantile(x, 0.95))
    return f"{ratio(regrets, np.mean):.2f} ({low:.2f} to {high:.2f}); {tail:.2f}"


def regrets(kept, rival, epsilon, horizon) -> list:
    """Of each family: instances x (ours, the rival's)."""
    found = []
    for family in FAMILIES:
        size = {"family": family, "epsilon": epsilon, "horizon": horizon}
        own = [row for row in kept if size.items() <= row.items()]
        found.append(np.array([[float(row[OURS]), float(row[rival])] for row in own]))
    return found


def table() -> str:
    kept = list(csv.DictReader(TABLE.open()))
    lines = ["| | 10³ rounds | 10⁴ | 10⁵ |", "|---|---|---|---|"]
    for rival, epsilon in product(RIVALS, (f"{e:g}" for e in EPSILON)):
        cells = [cell(regrets(kept, rival, epsilon, str(horizon))) for horizon in HORIZON]
        lines.append(f"| {rival}, ε = {epsilon} | {' | '.join(cells)} |")
    return "\n".join(lines)


def page() -> str:
    """rivals.md with the table as it is in held_out.csv."""
    before, rest = PAGE.read_text("utf-8").split(MARKS[0])
    return f"{before}{MARKS[0]}\n{table()}\n{MARKS[1]}{rest.split(MARKS[1])[1]}"


def main(words) -> None:
    if words:
        places = product(FAMILIES, EPSILON, HORIZON)
        kept = [row for place in places for row in rows(*place)]
        with TABLE.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(kept[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(kept)
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
