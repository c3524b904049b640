"""Using the policy: utility at equal exact privacy, and repeated sampling."""

import numpy as np

from dpbandits.core.statistics import fit_power
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import (
    BLUE,
    EXACT,
    GREEN,
    GREY,
    MARKERS,
    METHODS,
    ORANGE,
    RED,
    panels,
)


@figure(
    "kl/utility_vs_privacy",
    title="Regularisation beside injected noise at equal exact privacy",
    paper_says="noise must be added to existing algorithms, which therefore perform worse",
    alt="Expected true reward (above) and the regularised objective J (below) against the exact "
    "pure loss, bandit and RLHF panels, one line per mechanism with 95% bands over data sets",
)
def utility_vs_privacy(tables) -> Drawing:
    data = tables("utility_vs_privacy")
    canvas, axes = panels(2, 2, height=2.6, x="exact pure loss at most ε (nats)")
    names = sorted(data["mechanism"].unique())
    looks = dict(zip(names, zip(METHODS, MARKERS, strict=False), strict=False))
    ranks, best = [], []
    for row, (measure, label) in enumerate((("reward", "expected true reward"), ("J", "J(π)"))):
        for ax, problem in zip(axes[row], ("bandit", "RLHF"), strict=True):
            part = data.query("measure == @measure and problem == @problem")
            _utility_panel(ax, part, looks)
            ax.set(title=f"{problem}: {label}")
            middle = part[np.isclose(part["epsilon"], 0.1)].sort_values("mean", ascending=False)
            if measure == "J":
                best.append(middle["mechanism"].iloc[0])
            means = ", ".join(f"{r.mechanism} {r.mean:.3f}" for r in middle.itertuples())
            ranks.append(f"{problem}, {measure} at ε 0.1: {means}")
    we_see = "; ".join(ranks) + (
        ". "
        "The privacy loss is computed for each data set. If no single record changes the best arm, "
        "greedy play has loss 0 on that data set; a guarantee for all data sets would not allow "
        "this."
    )
    note = "shaded: 95% intervals of the mean over data sets; KL: regularised sampling; "
    note += "each mechanism is calibrated so that its exact loss on the data set is ε"
    finding = f"at ε = 0.1 the highest J is that of {' and '.join(dict.fromkeys(best))}"
    return Drawing(canvas, data, we_see, note, finding=finding)


def _utility_panel(ax, part, looks) -> None:
    """Full lines: the loss of each is computed, not promised."""
    for name, series in part.groupby("mechanism"):
        colour, marker = looks[name]
        style = {"color": colour, "marker": marker, "markersize": 3.5, "gid": EXACT}
        ax.plot(series["epsilon"], series["mean"], label=name, **style)
        ax.fill_between(series["epsilon"], series["low"], series["high"], color=colour, alpha=0.1)
    ax.set_xscale("log")


VERDICTS = {  # of a comparison: marker, colour
    "KL better": ("^", GREEN), "no clear difference": ("_", GREY), "KL worse": ("v", RED),
}  # fmt: skip


@figure(
    "kl/choice",
    title="KL-regularization or injected noise, each tuned on the data by its estimated J",
    paper_says="regularisation alone is private, and better than added noise (Section 4.4)",
    alt="A grid per weight η of the divergence in J, a row per problem, a column per exact pure "
    "loss: whether the regularised policy gains clearly more, clearly less or about as much of J "
    "as the best injected noise, and the difference as a number.",
)
def choice(tables) -> Drawing:
    data = tables("choice")
    compared = _compared(data)
    weights, cases = (list(compared[key].unique()) for key in ("objective_eta", "case"))
    losses = sorted(compared["epsilon"].unique())
    labels = {"x": "exact pure loss at most ε (nats)", "sharey": True}
    canvas, axes = panels(1, len(weights), height=2.6, **labels)
    for ax, weight in zip(axes[0], weights, strict=True):
        part = compared[compared["objective_eta"] == weight]
        for verdict, (marker, colour) in VERDICTS.items():
            cells = part[part["verdict"] == verdict]
            places = [losses.index(loss) for loss in cells["epsilon"]]
            rows = [cases.index(case) for case in cells["case"]]
            ax.plot(places, rows, marker, color=colour, ls="", ms=7, label=verdict)
        for row in part.itertuples():
            place = (losses.index(row.epsilon), cases.index(row.case) + 0.24)
            ax.annotate(f"{round(row.gain, 2) + 0:+.2f}", place, ha="center", va="top", fontsize=6)
        ax.set_xticks(range(len(losses)), [f"{loss:g}" for loss in losses])
        ax.set(title=f"η of J = {weight:g}", xlim=(-0.5, len(losses) - 0.5))
        ax.grid(visible=False)
    axes[0, 0].set_yticks(range(len(cases)), cases)
    axes[0, 0].set_ylim(len(cases) - 0.3, -0.5)
    note = "numbers: KL's share of the attainable gain in J (1: the most that any policy gains "
    note += (
        "over the reference) less that of the best noise; clear: 95% intervals over data sets apart"
    )
    counts = compared["verdict"].value_counts().reindex(list(VERDICTS), fill_value=0)
    wins, _, defeats = counts
    finding = f"KL clearly wins {wins} and loses {defeats} of {len(compared)} comparisons"
    return Drawing(canvas, data, _in_words(data, compared), note, finding=finding)


def _table(data, value: str):
    keys = ["problem", "n", "coverage", "objective_eta", "epsilon"]
    return data.pivot_table(index=keys, columns="mechanism", values=value, sort=False)


def _compared(data):
    """KL (best eta and beta0) beside the best injected noise, a row per place."""
    share, low, high = (_table(data, value) for value in ("share", "low", "high"))
    rivals = [name for name in share if not name.startswith("KL")]
    ours = next(name for name in share if "best" in name)
    ahead = low[ours] > high[rivals].max(axis=1)
    behind = high[ours] < low[rivals].max(axis=1)
    better, equal, worse = VERDICTS
    verdict = np.select([ahead, behind], [better, worse], equal)
    rows = share.index.to_frame(index=False).assign(
        gain=(share[ours] - share[rivals].max(axis=1)).to_numpy(), verdict=verdict
    )
    several = rows.groupby("problem")["coverage"].transform("nunique") > 1
    covered = [
        f",\ncoverage {c:g}" if s else "" for c, s in zip(rows["coverage"], several, strict=True)
    ]
    return rows.assign(case=rows["problem"] + ", n = " + rows["n"].astype(str) + covered)


def _in_words(data, compared) -> str:
    """How often KL clearly wins and loses, and how much choosing beta0 as well changes."""
    better, _, worse = VERDICTS
    counts = "; ".join(
        f"at η of J = {weight:g} KL clearly wins {(verdicts == better).sum()} and loses "
        f"{(verdicts == worse).sum()} of {len(verdicts)} comparisons"
        for weight, verdicts in compared.groupby("objective_eta")["verdict"]
    )
    share = _table(data, "share")
    best, without = (next(name for name in share if mark in name) for mark in ("best", "= 0"))
    gain = share[best] - share[without]
    return (
        f"The regularised policy beside injected noise: {counts}. Choosing β₀ as well moves the "
        f"share by {gain.abs().mean():.3f} on average, by {gain.min():+.2f} to {gain.max():+.2f}."
    )


@figure(
    "kl/repeated_sampling",
    title="T draws from one regularised policy",
    paper_says="T draws cost T ε₀, or about √T ε₀ at a δ' (Section 4.4)",
    alt="ε of T draws against T, log-log: exact, basic and advanced composition of the exact "
    "single-draw loss, and T times Theorem 1's ε",
)
def repeated_sampling(tables) -> Drawing:
    data = tables("repeated_sampling")
    canvas, axes = panels(1, 1, width=4.2, height=2.9)
    ax = axes[0, 0]
    names = (
        ("exact", "exact, worst neighbour", BLUE, "-", "o"),
        ("advanced", "advanced composition (k read as T)", ORANGE, "-.", "D"),
        ("basic", "basic composition", GREY, "--", "s"),
        ("theorem", "T × Theorem 1", RED, ":", "^"),
    )
    for key, label, colour, dash, marker in names:
        ax.plot(
            data["T"], data[key], label=label, color=colour, linestyle=dash, marker=marker,
            markersize=3.5,
        )  # fmt: skip
    delta = data["delta"].iloc[0]
    ax.set(xscale="log", yscale="log", xlabel="draws T", ylabel=f"ε at δ = {delta:g}")
    last = data.iloc[-1]
    slope, _ = fit_power(data["T"], data["exact"])
    we_see = (
        f"At T={int(last['T'])} the exact ε is {last['exact']:.3g}, basic composition says "
        f"{last['basic']:.3g}, advanced {last['advanced']:.3g}, Theorem 1 {last['theorem']:.3g}; "
        f"the exact one grows as T^({slope:.2f})."
    )
    finding = f"the exact ε grows with exponent {slope:.2f}"
    return Drawing(canvas, data, we_see, finding=finding)
