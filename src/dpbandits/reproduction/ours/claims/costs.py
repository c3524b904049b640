"""Checks of what we say of time: from the stored measurements, which no machine repeats exactly."""

from dpbandits.reproduction.files import project_file, read_rows
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of

COSTS = "benchmarks/costs.csv"
ANSWERS = ("intervals", "best", "difference")  # which are no decisions
MOST_US, MOST_MS = 1000.0, 1000.0  # of a decision: in the mean, and the longest


def decisions(tables) -> Finding:
    """The mean and the longest time of a decision of each learner."""
    rows = [row for row in read_rows(project_file(COSTS)) if row["learner"] not in ANSWERS]
    means, longest = ([float(row[key]) for row in rows] for key in ("mean_us", "longest_ms"))
    texts = (
        f"{row['learner']}, {row['arms']} arms{f', d = {d}' if (d := row['d']) != '0' else ''}, "
        f"{int(row['rounds']):,} rounds: {row['mean_us']} µs, {float(row['longest_ms']):g} ms"
        for row in rows
    )
    verdict = "violated" if max(means) > MOST_US or max(longest) > MOST_MS else "holds"
    numbers = {"times": "; ".join(texts), "mean": max(means), "longest": max(longest)}
    points = points_of([*means, *longest], at_most=[MOST_US] * len(rows) + [MOST_MS] * len(rows))
    return Finding(verdict, numbers, points)
