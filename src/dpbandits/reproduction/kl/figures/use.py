"""Using the policy: utility at equal exact privacy, and repeated sampling."""

from matplotlib.colors import BoundaryNorm, ListedColormap

from dpbandits.reproduction.kl.summaries import best_means
from dpbandits.reproduction.plots.curves import curves, ticks_at, write_beside
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, RED, panels
from dpbandits.reproduction.statistics import NORMAL_95

MECHANISMS = {  # name in the table: label, look
    "KL, β₀ = 0 (exponential)": ("regularised, β₀ = 0", {"color": GREEN, "marker": "^"}),
    "Laplace means, argmax": ("Laplace noise on the means", {"color": PURPLE, "marker": "D"}),
    "objective perturbation": ("objective perturbation (noise)", {"color": ORANGE, "marker": "P"}),
}
MEASURES = {"reward": "expected true reward", "J": "regularised objective J"}


@figure(
    "kl/utility_vs_privacy",
    claims=("KL-S4.4-baselines",),
    title="Regularisation beside injected noise at equal exact privacy",
    alt="What each mechanism gains over the regularised policy, in expected true reward and in the "
    "regularised objective J, against the exact pure loss, bandit and RLHF panels, with 95% bars.",
)
def utility_vs_privacy(tables) -> Drawing:
    data = tables("utility_vs_privacy")
    rule = data[~data["mechanism"].isin(MECHANISMS)]  # the regularised policy of each problem
    keys = ["problem", "measure", "epsilon"]
    data = data.merge(rule[[*keys, "mean"]], on=keys, suffixes=("", "_rule"))
    data["gain"] = data["mean"] - data["mean_rule"]
    places = [(problem, measure) for problem in ("bandit", "RLHF") for measure in MEASURES]
    canvas, axes = panels(1, len(places), height=3.8, x="exact pure loss at most ε",
                          y="gain over the regularised policy")  # fmt: skip
    for ax, (problem, measure) in zip(axes[0], places, strict=True):
        own = data[(data["problem"] == problem) & (data["measure"] == measure)]
        for place, (name, (label, look)) in enumerate(MECHANISMS.items()):
            line = own[own["mechanism"] == name]
            if len(line):
                x = line["epsilon"] * 1.07 ** (place - 1)  # bars beside each other
                bars = NORMAL_95 * line["paired"]
                ax.errorbar(x, line["gain"], bars, label=label, elinewidth=1.2, **look)
        ax.axhline(0, color=BLUE, lw=1.4, label="the regularised policy (bandit: pessimistic)")
        ax.set(xscale="log", title=f"{problem}: {MEASURES[measure]}")
        ticks_at(ax, own["epsilon"].unique())
    means = best_means(data)
    problem, epsilon = (means["noise"] - means["regularised"]).idxmax()
    gain = means["noise"][problem, epsilon] - means["regularised"][problem, epsilon]
    ax = axes[0, places.index((problem, "reward"))]
    write_beside(ax, f"{gain:.3f}", epsilon, gain)
    noise = data[~data["mechanism"].str.startswith("KL") & (data["measure"] == "reward")]
    best = noise.loc[noise.groupby(["problem", "epsilon"])["mean"].idxmax()]
    best = best.set_index(["problem", "epsilon"])
    leads = means["noise"] > means["regularised"]
    clear = leads & (best["gain"] > NORMAL_95 * best["paired"])
    in_j = best_means(data, "J")
    in_j = in_j["noise"] > in_j["regularised"]
    seen = f"At {clear.sum()} of these {leads.sum()} the bar of the best noise lies above 0. "
    seen += f"In J noise is above each regularised policy at {in_j.sum()} of {len(in_j)} losses."
    return Drawing(
        canvas, data.drop(columns="mean_rule"),
        "above 0: more than the regularised policy on the same data sets; bars are 95% intervals "
        "of this difference; the row counts the losses at which noise is above each regularised "
        "policy; the privacy loss is computed for each data set",
        seen=seen,
    )  # fmt: skip


STEPS = (1e-9, 0.095, 0.195, 1)  # where colours begin
SHADES = ("#fde3c6", "#f9c48d", "#f2a452"), ("#e3def0", "#c6bde2", "#a99dd0")
SIZES = "(up to 0.09)", "(0.10 to 0.19)", "(0.20 and more)"
GAINS = "−: added noise gains more", "+: regularisation gains more"


@figure(
    "kl/choice",
    title="KL-regularization or injected noise, each tuned on the data by its estimated J",
    alt="A grid per weight η of the divergence in J, a row per problem, a column per exact pure "
    "loss: the gain in J of the regularised policy less that of the best injected noise.",
)
def choice(tables) -> Drawing:
    """Each mechanism takes, among its configurations whose exact pure loss on the data is within ε,
    the one of the highest estimated J. `dpbandits calibrate kl-mab --set objective_eta=...` makes
    the same choice on a file of yours."""
    data = tables("choice")
    compared = _compared(data)
    weights, cases = (list(compared[key].unique()) for key in ("objective_eta", "case"))
    losses = sorted(compared["epsilon"].unique())
    labels = {"x": "exact pure loss at most ε", "sharey": True}
    canvas, axes = panels(1, len(weights), height=4, **labels)
    noise, regularised = SHADES
    colours = ListedColormap([*noise[::-1], "white", *regularised])
    steps = BoundaryNorm([*(-step for step in STEPS[::-1]), *STEPS], colours.N)
    counts = []
    for ax, weight in zip(axes[0], weights, strict=True):
        part = compared[compared["objective_eta"] == weight]
        clear = (part["low"] > 0) | (part["high"] < 0)
        part = part.assign(shown=part["gain"].where(clear, 0.0))
        grid = part.pivot(index="case", columns="epsilon", values="shown").loc[cases, losses]
        ax.imshow(grid, cmap=colours, norm=steps, aspect="auto")
        for row in part.itertuples():
            place = (losses.index(row.epsilon), cases.index(row.case))
            text = f"{row.gain:+.2f}" if round(row.gain, 2) else "0.00"
            look = {"color": BLACK if row.shown else "0.55", "fontsize": 7.4}
            ax.annotate(text, place, ha="center", va="center", **look)
        more, less = (part["low"] > 0).sum(), (part["high"] < 0).sum()
        counts.append(f"{more} and {less} at η = {weight:g}")
        ax.set_xticks(range(len(losses)), [f"{loss:g}" for loss in losses])
        ax.set(title=f"η of J = {weight:g}", xlim=(-0.5, len(losses) - 0.5))
        ax.grid(visible=False)
    for shades, name in zip(SHADES, GAINS, strict=True):
        for shade, most in zip(shades, SIZES, strict=True):
            axes[0, 0].plot([], [], "s", ms=9, color=shade, label=f"{name} {most}")
    axes[0, 0].set_yticks(range(len(cases)), cases)
    axes[0, 0].set_ylim(len(cases) - 0.5, -0.5)
    moved = compared["of_beta0"].abs().mean()
    numbers = compared.assign(
        epsilon=compared["epsilon"].astype(float), case=compared["case"].str.replace("\n", " ")
    )
    return Drawing(
        canvas, numbers,
        "each number is the gain in J over π₀ of the regularised policy less that of the best "
        "noise, both tuned at the same exact loss; 1 is the largest gain of any policy. The "
        "policy's privacy is for one draw, that of noise for any number. A cell is coloured if the "
        "nearer ends of both 95% intervals leave no doubt of the sign; grey numbers are not "
        "decided, however large. "
        f"Choosing β₀ too changes the share by {moved:.3f} on average",
        seen="Of "
        f"{len(losses) * len(cases)} cells each, regularisation (violet) and added noise (orange) "
        f"gain more in {', '.join(counts)}; the others (white, grey numbers) are not decided.",
    )  # fmt: skip


def _compared(data):
    """KL (best eta and beta0) beside the best injected noise, a row per place; `low` and `high`:
    the ends of both 95% bands put against each other; `of_beta0`: what the choice of beta0 as well
    gains over beta0 = 0."""
    keys = ["problem", "n", "coverage", "objective_eta", "epsilon"]
    share, low, high = (
        data.pivot_table(index=keys, columns="mechanism", values=name, sort=False)
        for name in ("share", "low", "high")
    )
    rivals = [name for name in share if not name.startswith("KL")]
    ours, plain = (next(name for name in share if mark in name) for mark in ("best", "= 0"))
    rows = share.index.to_frame(index=False).assign(
        gain=(share[ours] - share[rivals].max(axis=1)).to_numpy(),
        low=(low[ours] - high[rivals].max(axis=1)).to_numpy(),
        high=(high[ours] - low[rivals].max(axis=1)).to_numpy(),
        best_noise=share[rivals].idxmax(axis=1).to_numpy(),
        of_beta0=(share[ours] - share[plain]).to_numpy(),
    )
    several = rows.groupby("problem")["coverage"].transform("nunique") > 1
    covered = rows["coverage"].map(",\ncoverage {:g}".format).where(several, "")
    return rows.assign(case=rows["problem"] + ", n = " + rows["n"].astype(str) + covered)


SAMPLING = Plot("T", "epsilon", curve="quantity", log="xy", x_label="draws T",
                y_label="ε of T draws")  # fmt: skip
SAMPLED = {"theorem": "T × Theorem 1", "basic": "basic composition",
           "advanced": "advanced composition (k read as T)",
           "exact": "exact, worst neighbour"}  # fmt: skip


@figure(
    "kl/repeated_sampling",
    claims=("KL-S4.4-composition (printed)",),
    title="T draws from one regularised policy",
    alt="ε of T draws against T, log-log: exact, basic and advanced composition of the exact "
    "single-draw loss, and T times Theorem 1's ε.",
    width="half",
)
def repeated_sampling(tables) -> Drawing:
    table = tables("repeated_sampling")
    data = table.melt(["T", "delta"], [*SAMPLED], var_name="quantity", value_name="epsilon")
    looks = zip((RED, GREY, ORANGE, BLUE), (":", "--", "-.", "-"), "^sDo", strict=True)
    looks = [{"color": c, "linestyle": line, "marker": mark} for c, line, mark in looks]
    looks = dict(zip(SAMPLED, looks, strict=True))
    canvas, _ = curves(data, SAMPLING, width="half", height=4, names=SAMPLED, looks=looks)
    return Drawing(canvas, data)
