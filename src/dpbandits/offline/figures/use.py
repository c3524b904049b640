"""Using the policy: utility at equal exact privacy, and repeated sampling."""

import numpy as np

from dpbandits.core.figures import Drawing, figure
from dpbandits.core.statistics import fit_power
from dpbandits.offline.figures.colours import BLUE, GREY, ORANGE, PINK, RED, SKY, WINE
from dpbandits.plots.style import EXACT, MARKERS, panels


@figure(
    "kl/utility_vs_privacy",
    title="Reward at equal exact privacy: regularisation beside injected noise",
    paper_says="noise must be added to existing algorithms, which therefore perform worse",
    alt="Expected true reward (above) and the regularised objective J (below) against the exact "
    "pure loss, bandit and RLHF panels, one line per mechanism with 95% bands over data sets",
)
def utility_vs_privacy(tables) -> Drawing:
    data = tables("utility_vs_privacy")
    canvas, axes = panels(2, 2, height=2.6, x="exact pure loss at most ε (nats)")
    names = sorted(data["mechanism"].unique())
    looks = _looks(names)
    seen = []
    for row, (measure, label) in enumerate((("reward", "expected true reward"), ("J", "J(π)"))):
        for ax, problem in zip(axes[row], ("bandit", "RLHF"), strict=True):
            part = data.query("measure == @measure and problem == @problem")
            _utility_panel(ax, part, looks)
            ax.set(title=f"{problem}: {label}")
            middle = part[np.isclose(part["epsilon"], 0.1)].sort_values("mean", ascending=False)
            ranks = ", ".join(f"{r.mechanism} {r.mean:.3f}" for r in middle.itertuples())
            seen.append(f"{problem}, {measure} at eps 0.1: {ranks}")
    note = (
        "The loss is that of each data set: where no record changes the leader, playing it "
        "greedily loses nothing there, which a guarantee over all data sets could not say."
    )
    said = "shaded: 95% intervals of the mean over data sets; KL: regularised sampling; each as "
    said += "random as the exact loss of its data set demands"
    return Drawing(canvas, data, "; ".join(seen) + f". {note}", said)


def _looks(names: list[str]) -> dict[str, tuple[str, str]]:
    colours = (BLUE, RED, ORANGE, PINK, GREY, SKY, WINE)
    return dict(zip(names, zip(colours, MARKERS, strict=False), strict=False))


def _utility_panel(ax, part, looks) -> None:
    """Full lines: the loss of each is computed, not promised."""
    for name, series in part.groupby("mechanism"):
        colour, marker = looks[name]
        style = {"color": colour, "marker": marker, "markersize": 3.5, "gid": EXACT}
        ax.plot(series["epsilon"], series["mean"], label=name, **style)
        ax.fill_between(series["epsilon"], series["low"], series["high"], color=colour, alpha=0.1)
    ax.set_xscale("log")


@figure(
    "kl/choice",
    title="Which mechanism at a wanted exact loss, each tuned on the data by its estimated J",
    paper_says="regularisation alone is private, and better than added noise (Section 4.4)",
    alt="Share of the attainable gain in J against the exact pure loss, a row per weight of the "
    "divergence in J, a column per problem, one line per mechanism with 95% bands over data sets",
)
def choice(tables) -> Drawing:
    data = tables("choice")
    weights, names = data["objective_eta"].unique(), sorted(data["mechanism"].unique())
    cases = list(data.groupby(["problem", "n", "coverage"], sort=False))
    labels = {"x": "exact pure loss at most ε (nats)", "y": "share of the gain in J"}
    canvas, axes = panels(len(weights), len(cases), height=2.1, width=2.5, sharex=True, **labels)
    looks = _looks(names)
    for row, weight in zip(axes, weights, strict=True):
        for ax, ((problem, n, coverage), case) in zip(row, cases, strict=True):
            part = case[case["objective_eta"] == weight]
            _utility_panel(ax, part.assign(mean=part["share"]), looks)
            title = f"{problem}, n = {n}, coverage {coverage:g}, η of J {weight:g}"
            ax.set_title(title, fontsize=7)
    note = "shaded: 95% intervals of the mean over data sets; 1: the most J that any policy gains "
    note += (
        "over the reference, 0: none; KL: regularised sampling, the others add noise; where both "
    )
    note += "KL lines coincide, β₀ = 0 was chosen"
    return Drawing(canvas, data, _who_leads(data), note)


def _who_leads(data) -> str:
    """Where the bands are apart, and how much choosing beta0 as well changes."""
    keys = ["problem", "n", "coverage", "objective_eta", "epsilon"]
    share, low, high = (
        data.pivot_table(index=keys, columns="mechanism", values=v)
        for v in ("share", "low", "high")
    )
    rivals = [name for name in share if not name.startswith("KL")]
    ours, plain = (next(name for name in share if mark in name) for mark in ("best", "= 0"))
    ahead = low[ours] > high[rivals].max(axis=1)
    behind = high[ours] < low[rivals].max(axis=1)
    said = "; ".join(
        f"η of J {weight:g}: ahead at {ahead[own].sum()}, behind at {behind[own].sum()} of "
        f"{len(own)}"
        for weight, own in share.groupby("objective_eta").groups.items()
    )
    gain = share[ours] - share[plain]
    return (
        f"The regularised policy beside injected noise, bands apart: {said}. Choosing β₀ as well "
        f"moves the share by {gain.abs().mean():.3f} on average, by {gain.min():+.2f} to "
        f"{gain.max():+.2f}."
    )


@figure(
    "kl/repeated_sampling",
    title="T draws from one regularised policy",
    paper_says="T draws cost T eps0, or about sqrt(T) eps0 at a delta' (Section 4.4)",
    alt="epsilon of T draws against T, log-log: exact, basic and advanced composition of the exact "
    "single-draw loss, and T times Theorem 1's epsilon",
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
        f"At T={int(last['T'])} the exact eps is {last['exact']:.3g}, basic composition says "
        f"{last['basic']:.3g}, advanced {last['advanced']:.3g}, Theorem 1 {last['theorem']:.3g}; "
        f"the exact one grows as T^{slope:.2f}."
    )
    return Drawing(canvas, data, we_see)
