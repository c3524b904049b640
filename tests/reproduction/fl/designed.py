"""The table of an experiment with a design, simulated here and now, without a config file."""

from dpbandits.reproduction.pipeline import jobs
from dpbandits.reproduction.pipeline.config import Experiment
from dpbandits.reproduction.pipeline.plan import cells_of, points_of


def experiment(design: str, algorithms: list, seeds: int, **params) -> Experiment:
    given = {"algorithms": algorithms, "params": params, "seeds": seeds, "design": design}
    sources = dict.fromkeys([*params, "seeds"], "assumed: a test")
    return Experiment.model_validate(given | {"about": "a test", "sources": sources})


def table(made: Experiment):
    parts = [jobs.simulate_cells(cells_of(made, "all", "test"), ("regret",))]
    return jobs.table_from(made, parts, "test")


def settings(made: Experiment) -> list:
    return [point.setting for point in points_of(made, "test")]
