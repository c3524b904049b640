"""A made-up run of two papers: its files, its plan, and Snakemake's report on it."""

import base64
import io
import json
from functools import partial, wraps
from types import SimpleNamespace

import numpy as np
import pandas as pd
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from dpbandits.core.models import parse
from dpbandits.reproduction.ledger.claims import Claim
from dpbandits.reproduction.ledger.points import points
from dpbandits.reproduction.ledger.verdicts import COLUMNS
from dpbandits.reproduction.pipeline.config import PaperConfig
from dpbandits.reproduction.pipeline.plan import Plan
from dpbandits.reproduction.plots.drawn import KEY
from dpbandits.reproduction.plots.figures import Figure

CODE = '"""A module."""\n\ndef draw(tables): ...\n\ndef check(tables): ...\n'
NAMES = ("hu/regret", "hu/bounds", "hu/claims/HU-T1", "hu/claims/HU-L2", "kl/loss",
         "kl/claims/KL-T3", "us/other")  # fmt: skip
ROWS = [
    {"id": "HU-L2", "statement": "Lemma 2: $a<b$", "kind": "regret", "method": "exact",
     "verdict": "violated", "repaired_verdict": "open", "counterexample": "means (0.7, 0.5)"},
    {"id": "HU-T1", "statement": "Theorem 1: eps-DP", "kind": "privacy", "method": "certified",
     "verdict": "violated", "repaired_verdict": "holds", "certificate": "certificates/HU-T1.json",
     "evidence": "figures/hu/bounds.csv;elsewhere.txt"},
    {"id": "HU-T1", "reading": "other", "statement": "Theorem 1: again", "kind": "privacy",
     "method": "exact", "verdict": "holds", "evidence": " figures/kl/loss.csv"},
    {"id": "KL-T3", "statement": "Theorem 3: loss", "kind": "privacy", "method": "statistical",
     "verdict": "rejected", "repaired_verdict": "holds"},
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


def uri(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def drawn(width: int, height: int) -> bytes:
    """A white PNG with the data of a panel with two curves, once per 475 pixels of its width."""
    axis = {"label": "rounds t", "scale": "linear", "range": [0, 4]}
    look = {"alpha": 1, "dash": "", "width": 1, "marker": "o", "size": 3, "hollow": False}
    curves = [
        {"name": name, "colour": colour, "reference": "", "points": points} | look
        for name, colour, points in (
            ("DP-SE", "#0072b2", [[1, 2, 1, 3], [3, 6, 3, 9]]),
            ("UCB1", "#d55e00", [[1, 1], [3, 3]]),
        )
    ]
    regret = {"label": "regret", "scale": "log", "range": [0.5, 10]}
    panel = {"title": "two arms", "x": axis, "y": regret, "curves": curves, "areas": []}
    text, content = PngInfo(), io.BytesIO()
    text.add_text(KEY, json.dumps({"panels": [panel] * (width // 475)}), zip=True)
    Image.new("P", (width, height)).save(content, "PNG", pnginfo=text)
    return content.getvalue()


def png(width: int, height: int) -> str:
    return uri("image/png", drawn(width, height))


class MadeUp:
    """Files below the current folder; `figures`, `claims`, `plan` and Snakemake's `page`."""

    def __init__(self, folder):
        self.folder, self.figures, self.records, scope = folder, {}, {}, {}
        self._write("made_up.py", CODE)
        self._write("workflow/rules/notebooks.smk", "rule notebook: ...\n")
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
            id: Claim(id=id, reads=reads, package="made_up", **fields) for id, reads in read.items()
        }
        html = f"<img src='{png(950, 500)}'> and <img src='{png(7, 7)}'>".encode()
        for name in ("hu/all", "hu/theorems", "kl/all", "kl/theorems"):
            content = html if name == "hu/all" else name.encode()
            self._result(f"results/notebooks/{name}.html", "text/html", content)
        rows = [USUAL | {"paper": row["id"][:2]} | row for row in ROWS]
        ledger = pd.DataFrame(rows, columns=list(COLUMNS))
        self._write("results/figures/claims.csv", ledger.to_csv(index=False))
        for name in ("regret", "bounds"):
            for form in ("md", "tex"):
                self._write(f"results/tables/hu/{name}.{form}", f"{name} as {form}")
        self.plan = Plan.__new__(Plan)
        self.plan.papers = {"hu": parse(PaperConfig, HU, "hu"), "kl": PaperConfig()}
        self.plan.run = SimpleNamespace(scale="smoke")
        self.plan.places = SimpleNamespace(results="results", about="small and quick")
        self.page = f"<html>\nvar results = {json.dumps(self.records)};\n</html>"

    def _write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def _result(self, name: str, kind: str, content: bytes, **fields):
        """A file, and Snakemake's record of it."""
        self._write(name, content)
        self.records[name] = {"data_uri": uri(kind, content), **fields}

    def _figure(self, place: int, name: str):
        """The drawing function of a claim is a partial one, that of the first figure is wrapped."""
        claim = "/claims/" in name
        make = partial(self.draw, 1) if claim else self.draw
        make = wraps(self.draw)(lambda tables: None) if place == 0 else make
        self.figures[name] = Figure(
            name, "theorems" if claim else "all", ("points",) if claim else (name.split("/")[1],),
            f"Title of {name} <b>", f"It says ε = {place}." * (not claim), f"Alt of {name}",
            make, "made_up", "claims" if claim else "tables",
        )  # fmt: skip
        stem, long = f"results/figures/{name}", "a long finding, all in one sentence; " * 12
        self._write(f"{stem}.txt", f"We see $x_{place} < {place}$. {long * (place == 1)}\n")
        table = self._points() if claim else self._curves(3 + place)
        if not claim:
            self._write(f"{stem}.pdf", bytes([place]) * 99)
        self._result(f"{stem}.csv", "text/csv", table.to_csv(index=False).encode(), caption="")
        self._result(
            f"{stem}.png", "image/png", drawn(475 * (place + 1), 500),
            caption=f"Caption </b> {place}", job_properties={"rule": f"draw_{place}"},
        )  # fmt: skip

    def _points(self):
        steps = np.arange(1, 16)
        frame = points(steps, steps, at_most=9, at_least=2, axes=("x", "y"), series="dp-se")
        frame.loc[3, "at_least"] = 9
        return pd.concat([frame.assign(reading="printed"), frame.assign(reading="other")])

    def _curves(self, rows: int):
        t = np.arange(1, rows + 1)
        frame = pd.DataFrame({"t": t, "mean": t * 2.0, "low": t, "high": t * 3})
        return pd.concat([frame.assign(algorithm="dp-se"), frame.assign(algorithm="ucb1")])
