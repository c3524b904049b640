"""A batch every night: python nightly.py mail.db EVENINGS.csv MORNINGS.csv

Plans an action for each person in EVENINGS.csv (column person) and writes the tickets beside it,
after it has taken the rewards of earlier nights from MORNINGS.csv (columns ticket, reward). Run
again with the same files, e.g. after it was cut off, it does the rest. (Who was planned as it was
cut off, and is not in the file yet, gets one more round.)
"""

import csv
import sys
from pathlib import Path

import dpbandits as dp


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def night(store, evenings, mornings):
    """The rewards that were taken, and the plan."""
    learner = dp.learner("na-imed", arms=4, epsilon=1.0, delay=10_000, contributions=30,
                         store=store)  # fmt: skip
    taken = sum(learner.update(float(row["reward"]), row["ticket"]) for row in rows(mornings))
    plan = Path(evenings).with_suffix(".plan.csv")
    done = {row["person"] for row in rows(plan)} if plan.exists() else set()
    with open(plan, "a", newline="") as file:
        write = csv.writer(file).writerow
        if not file.tell():
            write(("person", "arm", "ticket"))
        for person in dict.fromkeys(row["person"] for row in rows(evenings)):
            if person not in done:
                try:
                    arm = learner.act(person=person)
                    write((person, int(arm), arm.ticket))
                except dp.UsedUp:
                    write((person, learner.suggest(), ""))
                file.flush()
    return taken, rows(plan)


if __name__ == "__main__":
    taken, plan = night(*sys.argv[1:])
    print(f"{taken} rewards taken, {len(plan)} actions planned")
