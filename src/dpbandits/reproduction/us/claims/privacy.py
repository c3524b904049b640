"""Checks of US's sensitivity and privacy claims, by the exact losses for random Z."""

from dpbandits.core.errors import require_proof
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import curves
from dpbandits.reproduction.us.claims.sampled import numbers_of

LABELS = {
    "loss_over_epsilon": r"exact loss / $\varepsilon$",
    "loss_at_least_noise": r"exact loss / $\varepsilon$, least noise",
    "sensitivity_over_bound": r"sensitivity / $2B\sup\bar\sigma^2$",
}


def lemma_4_2(tables) -> Finding:
    return _within("Lemma 4.2", "sensitivity_over_bound", tables("privacy"))


def lemma_7_2(tables) -> dict[str, Finding]:
    data = tables("privacy")
    longest = data[data["t"] == data["t"].max()]
    attained = longest["attained"]
    attack = {"longest": longest["t"].iloc[0]}
    attack |= {"attained": attained.min(), "closest": attained.max()}
    return {
        "printed": _within("Lemma 7.2", "loss_over_epsilon", data),
        "exact-calibration": _within(
            "Lemma 7.2 with the least noise", "loss_at_least_noise", data, **attack
        ),
    }


def theorem_7_3(tables) -> Finding:
    return _within("Theorem 7.3", "loss_over_epsilon", tables("privacy"))


def _within(proof: str, column: str, data, **numbers) -> Finding:
    """The plot has the range over the draws of Z, with the marker at the largest."""
    worst, least = data[column].max(), data[column].min()
    numbers |= {"worst": worst, "least": least, "slack": 1 - worst}
    numbers["cases"] = len(data[["setting", "t", "run"]].drop_duplicates())
    numbers |= numbers_of(data)
    rounded = worst <= 1 + 1e-9  # rounding alone contradicts nothing
    require_proof(rounded, f"{proof}: {worst:.10g} of what it allows")
    ends = data.groupby(["setting", "t"], sort=False)[column].agg(["min", "max"]).reset_index()
    axes = ("$T$", f"{LABELS[column]}, worst neighbours")
    options = {"low": "min", "at_most": 1, "series": "{setting}", "axes": axes, "log": "x"}
    return Finding("holds", numbers, curves(ends, "t", "max", **options))
