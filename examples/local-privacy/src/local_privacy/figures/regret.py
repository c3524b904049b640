"""What local privacy costs."""

from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import band, panels


@figure(
    "lp/regret",
    notebook="regret",
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
    end = data[data["t"] == data["t"].max()].set_index("epsilon")["mean"]
    low, high = end.index.min(), end.index.max()
    we_see = (
        f"At ε = {low:g} the regret ends at {end[low] / end[high]:.3g} times that at ε = {high:g}."
    )
    table = end.reset_index().set_axis(["ε", "mean regret at the end"], axis=1)
    return Drawing(canvas, data, we_see, table=table)
