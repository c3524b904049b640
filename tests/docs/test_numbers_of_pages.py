"""Numbers of README and of pages in docs/ that no other test compares with what they come from."""

import json
import math
from collections import Counter

import pandas as pd
import pytest
from scratch import ROOT

from dpbandits.core.algorithms import algorithms

COUNTED = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
           "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen")  # fmt: skip


def page(name):
    return (ROOT / name).read_text("utf-8")


def table(name):
    return pd.read_csv(ROOT / name, keep_default_na=False)


def graders() -> str:
    """Cohen's kappa of two readers (docs/severity-gradings.csv)."""
    rows = table("docs/severity-gradings.csv")
    first, second = rows["first"], rows["second"]
    observed = (first == second).mean()
    chance = sum((first == kind).mean() * (second == kind).mean() for kind in first.unique())
    kappa = (observed - chance) / (1 - chance)
    return f"agreed on {(first == second).sum()} of {len(rows)} rows (kappa {kappa:.2f})"


def figures() -> str:
    """What three readers thought of the published figures (docs/figure-gradings.csv)."""
    rows = table("docs/figure-gradings.csv")
    assert all((ROOT / f"figures/{name}.png").is_file() for name in rows["figure"])
    counts = [Counter(rows[reader]) for reader in ("first", "second", "third")]
    (good, better), (few, more) = (
        (min(c[grade] for c in counts), max(c[grade] for c in counts)) for grade in "AC"
    )
    assert not any(c["D"] for c in counts)
    return f"{good} to {better} of the {len(rows)} published figures an A, {few} or {more} a C"


def certificates() -> str:
    files = list((ROOT / "certificates").glob("*.json"))
    assert all(isinstance(json.loads(path.read_text("utf-8")), dict) for path in files)
    return f"{len(files)} refutations are [certificates]"


def largest_found() -> str:
    """What docs/promised.py draws of KL's Theorem 3."""
    rows = table("figures/kl/tightness.csv").query("claim == 'KL-T3-pure'")
    return f"{rows['worst'].astype(float).max():.2f} for KL's Theorem 3"


def step_of_niht() -> str:
    (row,) = (r for r in table("figures/claims.csv").to_dict("records") if r["id"] == "FL-S4")
    assert row["scope"].startswith(r"At F.1's 13 steps and $x_{\max} = 3.46$ nothing is refuted.")
    return "at 13 steps and 3.46 nothing is refuted)"


def constant_of_phase() -> str:
    return f"at most 1.31 + {math.ceil(40 * math.e) / 10:.1f} (1 + ln K)/min(gap, ε)"


def zoo() -> str:
    """Sound and broken programs, and how many of these are told apart as "not shown"."""
    rows = table("tests/audit/zoo.csv")
    kinds = Counter(rows["kind"])
    hidden = rows["verdict"].str.startswith("not shown") & (rows["kind"] == "broken")
    assert f"{COUNTED[kinds['sound']]} sound ones" in page("docs/auditing.md")
    assert f"For {COUNTED[hidden.sum()]} of the broken ones" in page("docs/auditing.md")
    return f"{COUNTED[kinds['broken']]} programs that we broke on purpose"


def programs_of_others() -> str:
    rows = table("tests/audit/zoo_by_a_stranger.csv")
    right, broken = (rows[rows["kind"] == kind]["decided"] for kind in ("right", "broken"))
    right = COUNTED[len(right)], COUNTED[(right == "right").sum()]
    broken = COUNTED[len(broken)], COUNTED[(broken == "wrong").sum()]
    return (
        f"Of {right[0]} correct ones, {right[1]} are within the claim; of {broken[0]} broken ones, "
        f"{broken[1]} are refuted"
    )


def learners() -> str:
    private = Counter(e.paper for e in algorithms().values() if e.learner and e.private)
    return f"{private['fl']} private sparse linear ones; {private['us']} private kernel one"


def times() -> str:
    """Of the run that benchmarks/README.md shows."""
    lines = page("benchmarks/README.md").split("costs --others")[1].split("```")[1].splitlines()
    ours = {name: text.split(": ")[-1] for name, text in (x.split(": ", 1) for x in lines if x)}
    lazy, *others = (
        [float(x.split()[-1]) for x in text.split(", ")]
        for text in ours.values() if text.startswith("simulated")
    )  # fmt: skip
    low, high = min(min(x) for x in others), max(max(x) for x in others)
    for name in ("mabwiser UCB1", "mabwiser ThompsonSampling", "river UCB"):
        assert ours[name].replace(" us", " µs") in page("docs/compare-libraries.md")
    return (
        f"Lazy-DP-TS {lazy[0]:.0f} µs (exact noise {lazy[1]:.0f}), the others {low:.0f} to "
        f"{high:.0f} |"
    )


NUMBERS = [
    ("README.md", graders), ("README.md", certificates), ("README.md", largest_found),
    ("README.md", step_of_niht), ("docs/which.md", constant_of_phase), ("docs/auditing.md", zoo),
    ("docs/how-to/add-a-figure.md", figures), ("docs/auditing.md", programs_of_others),
    ("docs/compare-libraries.md", learners),
    ("docs/compare-libraries.md", times),
]  # fmt: skip


@pytest.mark.parametrize(("name", "number"), NUMBERS, ids=[f.__name__ for _, f in NUMBERS])
def test_numbers_are_those_of_what_they_come_from(name, number):
    assert number() in page(name)
