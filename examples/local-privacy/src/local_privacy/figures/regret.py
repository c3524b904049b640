"""What local privacy costs."""

from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import band, panels


@figure(
    "lp/regret",
    title="Regret of explore-then-commit with randomised response",
    alt="Mean regret over time with its 95% interval, a line per epsilon.",
    width="half",
)
def regret(tables):
    data = tables("regret")
    canvas, axes = panels(1, 1, width="half", height=4)
    for i, (epsilon, rows) in enumerate(data.groupby("epsilon")):
        band(axes[0, 0], rows, "t", f"ε = {epsilon:g}", {"color": f"C{i}"})
    axes[0, 0].set(xscale="log", xlabel="rounds t", ylabel="regret")
    return Drawing(canvas, data)
