"""A made-up run of two papers: its files and its plan; and the published ledger as a run."""

import io
import shutil
from functools import partial, wraps
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scratch import ROOT

from dpbandits.core.models import parse
from dpbandits.reproduction.ledger.claims import Claim
from dpbandits.reproduction.ledger.points import points
from dpbandits.reproduction.ledger.verdicts import COLUMNS
from dpbandits.reproduction.papers import papers
from dpbandits.reproduction.pipeline.config import PaperConfig
from dpbandits.reproduction.pipeline.plan import Plan
from dpbandits.reproduction.plots.beside import Beside
from dpbandits.reproduction.plots.figures import Figure, Plot
from dpbandits.reproduction.report import page

CODE = '"""A module."""\n\ndef draw(tables): ...\n\ndef check(tables): ...\n'
NAMES = ("hu/regret", "hu/bounds", "kl/loss", "us/other")
ROWS = [
    {"id": "HU-L2", "statement": "Lemma 2: $a<b$", "kind": "regret", "method": "exact",
     "verdict": "violated", "severity": "constant", "repaired_verdict": "open",
     "counterexample": "means (0.7, 0.5)"},
    {"id": "HU-T1", "statement": "Theorem 1: eps-DP", "kind": "privacy", "method": "certified",
     "verdict": "violated", "severity": "conclusion", "repaired_verdict": "holds",
     "supremum": "2", "counterexample": "<script>alert(1)</script>",
     "certificate": "certificates/HU-T1.json", "evidence": "figures/hu/bounds.csv;elsewhere.txt"},
    {"id": "HU-T1", "reading": "other", "statement": "Theorem 1: again", "kind": "privacy",
     "method": "exact", "verdict": "holds", "evidence": " figures/kl/loss.csv"},
    {"id": "HU-T4", "statement": "Theorem 4: fast", "kind": "regret", "method": "proof",
     "verdict": "holds"},
    {"id": "KL-T3", "statement": "Theorem 3: loss", "kind": "privacy", "method": "statistical",
     "verdict": "rejected", "severity": "experiment", "repaired_verdict": "holds"},
]  # fmt: skip
USUAL = {"reading": "printed", "measured": "found 1e-06", "bound": "at most 3", "scope": "K = 2",
         "repaired": "true instead"}  # fmt: skip
HU = {
    "experiments": {"regret": {
        "about": "regret at eps = 1", "algorithms": ["dp-se", "ucb1"], "horizon": 10000,
        "settings": {"two": {"means": [0.7, 0.5]}}, "vary": {"alpha": [3, 4.5]},
        "epsilon": [0.5, 1], "seeds": 2000, "scales": {"smoke": {"seeds": 4}},
        "sources": {"settings": "Section 6", "vary": "assumed: two of them", "epsilon": "Figure 1",
                    "horizon": "Section 6", "seeds": "Section 6"},
    }},
    "studies": {"bounds": {
        "about": "bounds", "params": {"arms": [2, 3], "law": {"a": 1}},
        "sources": {"arms": "Table 1", "law": "assumed: as small as can be"},
        "scales": {"smoke": {"arms": [2]}},
    }},
}  # fmt: skip
CURVES = Plot("t", "mean", "low", "high", curve="algorithm", panel="epsilon", log="x",
              x_label="rounds t", y_label="regret")  # fmt: skip


def picture(width: int, height: int) -> bytes:
    content = io.BytesIO()
    Image.new("P", (width, height)).save(content, "PNG")
    return content.getvalue()


class MadeUp:
    """Files below the current folder; `figures`, `claims` and `plan`."""

    def __init__(self, folder):
        self.folder, self.figures, scope = folder, {}, {}
        self._write("made_up.py", CODE)
        self._write("paper.claims.made_up.py", CODE)  # see `source_of` below
        exec(compile(CODE, str(folder / "made_up.py"), "exec"), scope)
        self.draw = scope["draw"]
        for place, name in enumerate(NAMES):
            self._figure(place, name)
        read = {"HU-T1": ("regret",), "HU-L2": ()}  # KL-T3 has no claim
        fields = {
            "where": "",
            "statement": "",
            "check": "claims/made_up.py::check",
            "readings": [{}],
        }
        self.claims = {
            id: Claim(id=id, reads=reads, package="paper", **fields) for id, reads in read.items()
        }
        rows = [USUAL | {"paper": row["id"][:2]} | row for row in ROWS]
        ledger = pd.DataFrame(rows, columns=list(COLUMNS))
        self._write("results/figures/claims.csv", ledger.to_csv(index=False))
        self._write("results/claims/hu/points.csv", self._points().to_csv(index=False))
        self._write("docs/which.md", "Text\n\n| problem | run |\n|---|---|\n| bandits | [a](b) |\n")
        for name in ("regret", "bounds"):
            for form in ("md", "tex"):
                self._write(f"results/tables/hu/{name}.{form}", f"{name} as {form}")
        self.plan = plan_of({"hu": parse(PaperConfig, HU, "hu"), "kl": PaperConfig()})

    def _write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def _figure(self, place: int, name: str):
        """The drawing function of the first figure is wrapped, that of the second is partial."""
        make = [wraps(self.draw)(lambda tables: None), partial(self.draw, 1), self.draw, self.draw]
        texts = f"Title of {name} <b>", f"It says ε = {place} & means.", f"Alt of {name}"
        self.figures[name] = Figure(
            name, "all", (name.split("/")[1],), *texts, make[place], "made_up",
            width="full" if place else "half", plots=(CURVES,) * (place == 1),
        )  # fmt: skip
        table = [["ε", "regret"], ["0.5", "$x^2$"]] * (place == 1)
        beside = Beside(*texts[:2], f"We see $x_{place} < {place}$.", table=table)
        self._write(f"results/figures/{name}.txt", beside.as_text())
        self._write(f"results/figures/{name}.csv", self._curves().to_csv(index=False))
        self._write(f"results/figures/{name}.png", picture(950 + place, 500))

    def _points(self):
        steps = np.arange(1, 16)
        frame = points(steps, steps, at_most=9, at_least=2, axes=("x", "y"), series="dp-se")
        frame.loc[3, "at_least"] = 9
        frame = pd.concat([frame.assign(reading="printed"), frame.assign(reading="other")])
        return frame.assign(id="HU-T1")

    def _curves(self):
        t = np.arange(1, 5)
        frame = pd.DataFrame({"t": t, "mean": t * 2.0, "low": t, "high": t * 3})
        kinds = [("dp-se", 0.5), ("ucb1", 0.5), ("dp-se", 1.0)]
        frames = [frame.assign(algorithm=name, epsilon=eps) for name, eps in kinds]
        return pd.concat(frames)


def plan_of(configs) -> Plan:
    plan = Plan.__new__(Plan)
    plan.papers = configs
    plan.run = SimpleNamespace(scale="smoke")
    plan.places = SimpleNamespace(results="results", about="small and quick")
    return plan


TIMES = [{"kind": "draw", "jobs": 3, "wall": 1.25, "cpu": 0.96, "memory": 120.4}]
FACTS = {"Scale": "smoke", "Seeds": "", "Commit": "abc"}


def small_report(folder: Path) -> MadeUp:
    """The made-up run, with its page in `html` and in results/report.html."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run = MadeUp(folder)
        patch.setattr(page, "figures", lambda: run.figures)
        patch.setattr(page, "claims", lambda: run.claims)
        patch.setattr(page, "place", lambda claim: (folder / "made_up.py", 5))
        patch.setattr(page, "source_of", lambda module: folder / f"{module}.py")
        _built(patch, run, folder)
    return run


def published_report(folder: Path) -> Path:
    """A report of the published ledger and the page `which`, without figures."""
    (folder / "results/figures").mkdir(parents=True)
    shutil.copy(ROOT / "figures/claims.csv", folder / "results/figures")
    (folder / "docs").symlink_to(ROOT / "docs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(page, "figures", dict)
        run = SimpleNamespace(plan=plan_of({key: PaperConfig() for key in papers()}))
        _built(patch, run, folder)
    return folder / "results/report.html"


def _built(patch, run, folder):
    patch.setattr(page, "run_facts", lambda plan: FACTS)
    patch.setattr(page, "rule_times", lambda plan: TIMES)
    run.html = page.build(run.plan)
    (folder / "results/report.html").write_text(run.html, encoding="utf-8")
