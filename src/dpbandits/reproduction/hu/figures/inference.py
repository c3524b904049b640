"""HU's figures of our experiments with an end: when rules stop, how often what is said is wrong,
and one run."""

from dpbandits.reproduction.plots.curves import curves, label_ends, named_rows, write_beside
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import BLACK, BLUE, ORANGE, PURPLE, RED, look, panels
from dpbandits.reproduction.statistics import span

NAMES = {"na-tt": "NA-TT (ours)", "dp-se-best": "DP-SE", "adap-tt": "AdaP-TT",
         "dp-tt": "DP-TT", "top-two": "top two, not private"}  # fmt: skip


@figure(
    "hu/stopping",
    reads=("stopping", "stopping_bound"),
    title="When the best arm is known, with error 0.01",
    alt="Rounds until the end against ε on two logarithmic axes, a panel per instance, a line per "
    "rule, with the lower bound for private rules in black and, at the right, top two without "
    "privacy.",
)
def stopping(tables) -> Drawing:
    """Rules that stop, on the six instances of AdaP-TT's authors and on ours, beside what no
    private rule can beat."""
    table, bound = tables("stopping"), tables("stopping_bound")
    data = table[table["metric"] == "stopped"]
    private = data[data["algorithm"] != "top-two"]
    plot = Plot("epsilon", curve="algorithm", panel="setting", log="xy", x_label="ε",
                y_label="rounds until the end")  # fmt: skip
    canvas, axes = curves(private, plot, columns=4, height=2.8, names=NAMES)
    for name, ax in axes.items():
        least = bound[bound["setting"] == name]
        ax.plot(least["epsilon"], least["plays"], color="black", ls=":",
                label="no private rule is below")  # fmt: skip
        open_rule = data[(data["setting"] == name) & (data["algorithm"] == "top-two")]
        ax.plot(bound["epsilon"].max(), open_rule["mean"].iloc[0], ms=8,
                **look("top-two") | {"linestyle": ""}, label=NAMES["top-two"])  # fmt: skip
    answers = table[table["metric"] == "answer"].merge(
        data[["algorithm", "setting", "epsilon", "mean"]].rename(columns={"mean": "ended"})
    )
    endless = answers[answers["mean"] < 0]  # the answer of a run without an end is -1
    for name, late in endless.groupby("setting"):
        axes[name].plot(late["epsilon"], late["ended"], "o", mfc="none", color=BLACK, ms=11,
                        label="some runs have no end")  # fmt: skip
    ours = private[private["algorithm"] == "na-tt"].merge(bound, on=["setting", "epsilon"])
    wide = private.pivot_table(index=["setting", "epsilon"], columns="algorithm", values="mean")
    gain = wide[["dp-se-best", "adap-tt"]].min(axis=1) / wide["na-tt"]
    top = wide["dp-tt"] / wide["na-tt"]
    for name, epsilon in top.index[top < 1]:
        axes[name].plot(float(epsilon), wide["dp-tt"][name, epsilon], "x", color=BLACK, ms=8,
                        mew=2, zorder=6, label="DP-TT ends sooner than NA-TT")  # fmt: skip
    wrong = [
        f"{NAMES[row.algorithm]} names a wrong arm in {row.mean * row.runs:.0f} of {row.runs} runs "
        f"({row.setting}, ε = {row.epsilon:g})"
        for row in answers[answers["mean"] > 0].itertuples()
    ]
    names = ", ".join(dict.fromkeys(NAMES[name] for name in endless["algorithm"]))
    late = (
        f"rings: of {names} up to {-endless['mean'].min():.0%} of the runs have no end, and count "
        "as T"
        if len(endless)
        else "all runs end"
    )
    note = (
        "mu1 to mu6 are the instances of AdaP-TT's authors, ab an A/B test of 0.12 and 0.1; "
        "AdaP-TT has the threshold of its authors' public code, which is below their proved one, "
        "DP-TT one that gives the numbers of its authors' figure where noise is small, far below "
        "their proved one, top two the usual one, which is not proved; bands: 95%; dotted: Theorem "
        f"C of docs/proofs/INFERENCE.md; {late}; "
        + (f"{', '.join(wrong)}, and no other run does" if wrong else "no run names a wrong arm")
    )
    sooner, (where, epsilon) = top[top < 1], top.idxmin()
    first = (
        f"DP-TT, whose threshold is not proved, ends sooner than NA-TT at {len(sooner)} of "
        f"{len(top)} points, at best after {top.min():.2g} of its rounds ({where}, ε = {epsilon}), "
        f"and takes up to {top.max():.2g} times as many elsewhere. "
        if len(sooner)
        else f"DP-TT takes {span(top, '.2g')} times as many rounds as NA-TT. "
    )
    seen = first + (
        f"NA-TT needs {span(ours['mean'] / ours['plays'], '.2g')} times the lower bound, the "
        f"better of DP-SE and AdaP-TT {span(gain, '.2g')} times as many rounds as NA-TT."
    )
    drawn = data.astype({"epsilon": float}).merge(bound.astype({"epsilon": float}), how="left")
    return Drawing(canvas, drawn, note, seen=seen)


@figure(
    "hu/coverage",
    title="How often what is said is ever wrong",
    alt="A panel per ε and in it a row per rule that plays: the shares of runs in which an "
    "interval, a difference or the best arm is ever wrong, and that of the usual intervals, with a "
    "line at the 5% that is promised.",
)
def coverage(tables) -> Drawing:
    """How often anything that is said is ever wrong, under rules that do their worst."""
    data = tables("coverage")
    worst = data.groupby(["rule", "epsilon", "statement"], sort=False)["mean"].idxmax()
    data = data.loc[worst]  # the kind of rewards with the most errors
    rules, epsilons = list(data["rule"].unique()), sorted(data["epsilon"].unique())
    canvas, (axes,) = panels(1, len(epsilons), height=3.2, sharey=True, sharex=True,
                             x="share of runs that are ever wrong")  # fmt: skip
    looks = {"intervals": (BLUE, "o", "intervals"), "difference": (BLUE, "s", "differences"),
             "best": (BLUE, "^", "best arm"), "usual": (RED, "x", "usual intervals")}  # fmt: skip
    for epsilon, ax in zip(epsilons, axes, strict=True):
        for k, (what, (color, marker, label)) in enumerate(looks.items()):
            own = data[(data["epsilon"] == epsilon) & (data["statement"] == what)]
            rows = [rules.index(rule) + 0.15 * (k - 1) for rule in own["rule"]]
            ax.plot(own["mean"], rows, ls="", marker=marker, color=color, label=label, ms=5)
        ax.axvline(0.05, color="black", ls=":", label="promised")
        ax.set(title=f"ε = {epsilon:g}", xlim=(-0.01, 1.05 * data["mean"].max()))
        named_rows(ax, [rule.replace("_", " ") for rule in rules])
    axes[0].set_ylabel("who chooses the arms")
    said = data[data["statement"] != "usual"]["mean"].max()
    usual = data[data["statement"] == "usual"]["mean"]
    note = (
        f"{data['runs'].min():,.0f} runs a point, looked at after each release; of rewards 0 and "
        "1, of 0, ½ and 1, and constant ones that with the most errors; leader: the largest noisy "
        "mean; single: in turn, batches of one reward; the others know the means: lucky plays the "
        "arm whose last release was furthest above its mean, furthest that whose evidence against "
        "the truth is largest, wrong arm until a worse arm seems the best; usual: the noisy mean "
        "± its standard deviation times the quantile for all arms"
    )
    seen = (f"At most {said:.1%} of runs are ever wrong in what the library says; with the usual "
            f"intervals {span(usual, '.0%')} are.")  # fmt: skip
    return Drawing(canvas, data, note, seen=seen)


@figure(
    "hu/one_run",
    title="One experiment, from its start to its end",
    alt="Left the intervals of three arms against the rounds, which shrink around the true rates; "
    "right the evidence that the leader is best, which crosses what is needed at the end.",
)
def one_run(tables) -> Drawing:
    data = tables("one_run")
    canvas, (axes,) = panels(1, 2, height=4, x="rounds")
    first = [t for t, rows in data.groupby("t") if _disjoint(rows, "usual_low", "usual_high")][:1]
    for arm, rows in data.groupby("arm"):
        color, name = (BLUE, ORANGE, PURPLE)[arm % 3], f"version {chr(65 + arm)}"
        axes[0].step(rows["t"], rows["mean"], where="post", label=name, color=color)
        wide = {"step": "post", "alpha": 0.12, "color": color}
        axes[0].fill_between(rows["t"], rows["low"], rows["high"], **wide)
        for row in rows[rows["t"].isin(first)].itertuples():
            axes[0].vlines(
                row.t * 1.03 ** (arm + 1), row.usual_low, row.usual_high, color=color, lw=3
            )
        end = rows["t"].max(), rows["truth"].iloc[0]
        axes[0].plot(*end, marker="D", ms=6, mfc="none", ls="", color=color, clip_on=False)
    once = data[data["arm"] == 0]
    ends, needed = [once["t"].min(), once["t"].max()], once["needed"].iloc[0]
    axes[1].step(once["t"], once["evidence"], where="post", color=BLUE, label="evidence")
    axes[1].plot(ends, [needed, needed], color="black", ls=":", label="needed")
    axes[0].set(
        title="rates of the versions",
        ylabel="rate",
        ylim=(data["truth"].min() / 2, 1.6 * data["truth"].max()),
    )
    axes[0].set_xlim(left=min(1000, ends[1] / 2))
    axes[1].set(title="evidence that the leader is best (its logarithm)")
    for ax in axes:
        ax.set_xscale("log")
        for t in (*first, ends[1]):
            ax.axvline(t, color="0.5", lw=0.9, ls="--", label="_round")
        label_ends(ax)
    for t in (*first, ends[1]):
        write_beside(axes[0], f"{t:,}", t, axes[0].get_ylim()[0], (-3, 7), ha="right")
    wrong = ((data["truth"] < data["usual_low"]) | (data["truth"] > data["usual_high"])).any()
    last = data[data["over"]]
    seen = f"It ends after {data['t'].max():,} rounds: version {chr(65 + last['leader'].iloc[0])}."
    if first:
        seen += f" The usual interval of the leader is above all others after {first[0]:,} already"
        seen += ", and a usual interval misses its rate on the way." if wrong else "."
    note = ("bands: what may be said at any time, of all arms at once; lines: noisy means; "
            "diamonds: the true rates; bars: the usual intervals, when that of the leader is first "
            "above all others; the evidence ends it (right), not that bands are apart; the first "
            "run that was looked at")  # fmt: skip
    return Drawing(canvas, data, note, legend=False, seen=seen)


def _disjoint(rows, low: str, high: str) -> bool:
    """Whether the interval of the largest mean is above all others."""
    best = rows.loc[rows["mean"].idxmax()]
    return bool((rows.drop(best.name)[high] < best[low]).all())
