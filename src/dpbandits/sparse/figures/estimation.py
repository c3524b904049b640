"""FL's figure of the estimation error."""

from dpbandits.core.figures import Drawing, figure
from dpbandits.core.statistics import fit_power
from dpbandits.core.style import MARKERS, OKABE_ITO, panels
from dpbandits.sparse.figures.layout import NOT_PRIVATE

TERMS = {"statistical": "without noise", "private": "with the printed noise"}


@figure(
    "fl/estimation_error",
    notebook="beyond",
    reads=("estimation",),
    title="Squared error of N-IHT against n, s, d and ε",
    paper_says="Non-private (s + s*) ln d/n, private (s ln d)^2 ln^4 n/(n ε)^2, both times σ^2.",
    alt="Squared error against each factor on logarithmic axes, with fitted powers and the "
    "printed and the repaired bound.",
)
def estimation_error(tables) -> Drawing:
    data = tables("estimation")
    canvas, axes = panels(1, 4, width=2.6, sharey=True)
    names = {"n": "rows n", "sparsity": "kept s", "d": "dimension d", "epsilon": "ε"}
    text = []
    for ax, (varied, label) in zip(axes[0], names.items(), strict=True):
        own = data[data["varied"] == varied]
        for slot, (term, rows) in enumerate(own.groupby("term", sort=True)):
            power, sem = fit_power(rows["value"], rows["mean"], rows["sem"])
            ax.errorbar(
                rows["value"], rows["mean"], yerr=1.96 * rows["sem"], marker=MARKERS[slot],
                markersize=4, color=OKABE_ITO[slot], label=f"{TERMS[term]}: power {power:.2f}",
            )  # fmt: skip
            for column, dash in (("printed", ":"), ("repaired", "--")):
                ax.plot(rows["value"], rows[column], ls=dash, lw=0.8, color=OKABE_ITO[slot])
            text.append(f"{term} in {varied} {power:.2f} ± {sem:.2f}")
        ax.set(xscale="log", yscale="log", xlabel=label)
        ticks = sorted(own["value"].unique())
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks], rotation=30)
        ax.minorticks_off()
        ax.legend()
    axes[0, 0].set_ylabel("squared error")
    canvas.suptitle(
        f"printed constants; {NOT_PRIVATE}. Dotted: Proposition 5.5, hidden constants 1; dashed: "
        "repaired, Theorem F1",
        fontsize=7.5,
    )
    above = {c: (data[c] / data["mean"]).agg(["min", "max"]) for c in ("printed", "repaired")}
    said = "; ".join(f"{c} {r['min']:.2g} to {r['max']:.2g}" for c, r in above.items())
    return Drawing(
        canvas,
        data,
        f"Fitted powers: {'; '.join(text)}. Bound over error: {said} (the printed one with its "
        "hidden constants 1; the repaired one has all constants, and asks for more steps and a "
        "larger s than these runs have).",
    )
