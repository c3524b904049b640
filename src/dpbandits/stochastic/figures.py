"""HU's figures."""

from dpbandits.core.drawing import Drawing, band, figure, panels


@figure(
    "hu/fig1",
    notebook="regret",
    reads=("fig1",),
    title="Figure 1: regret over time, five arms with different gaps",
    paper_says="Lazy-DP-TS is close to AdaP-KLUCB and below DP-SE and Anytime-Lazy-UCB.",
    alt="Regret against rounds, one panel per epsilon, one line with a band per algorithm.",
)
def fig1(tables) -> Drawing:
    return _regret_panels(tables("fig1"))


def _regret_panels(data) -> Drawing:
    epsilons = list(data["epsilon"].unique())
    figure, axes = panels(1, len(epsilons), sharey=True)
    for ax, epsilon in zip(axes[0], epsilons, strict=True):
        here = data[data["epsilon"] == epsilon]
        for name, rows in here.groupby("algorithm", sort=False):
            band(ax, rows, "t", name)
        ax.set(title=f"epsilon = {epsilon:g}", xlabel="rounds t", xscale="log")
    axes[0, 0].set_ylabel("regret")
    axes[0, 0].legend()
    return Drawing(figure, data)
