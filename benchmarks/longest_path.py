"""How long a run takes at the least: its longest path, and on so many cores.

    python benchmarks/longest_path.py 16

From the CPU seconds that jobs write at the end of their logs (results/benchmarks has less, as
Snakemake looks at long jobs now and then only). Jobs that compile beside each other share less:
theirs is the time of a run on so many cores. The ledger, publishing and the report are left out.
"""

import heapq
import sys
from pathlib import Path

from dpbandits.reproduction.pipeline.compiled import groups
from dpbandits.reproduction.pipeline.plan import Plan, planned


def needs_of(plan: Plan) -> dict[str, list[str]]:
    """Of each job, named as its file of benchmarks, the jobs before it."""
    own = groups(plan).items()
    compiled = lambda names: [f"compile/{first}" for first, all in own if {*all} & {*names}]  # noqa: E731
    found: dict[str, list[str]] = {}
    for job in plan.jobs.values():
        found[f"simulate/{job.name}"] = compiled(job.algorithms)
    for key in plan.experiments():
        found[f"aggregate/{key}"] = [f"simulate/{j.name}" for j in plan.jobs_of(*key.split("/"))]
    for key in plan.studies():
        found[f"study/{key}"] = compiled(plan.study(*key.split("/"))[0].runs)
    for paper in plan.papers:
        found[f"claims/{paper}"] = [
            name for name in found if name.startswith((f"aggregate/{paper}/", f"study/{paper}/"))
        ]
        found[f"draw/{paper}/figures"] = [f"claims/{paper}"]
    return found


def seconds_of(results: str) -> dict[str, float]:
    folder = Path(results, "logs")
    last = {path: path.read_text().split("\n")[-2:][0] for path in folder.rglob("*.log")}
    return {
        path.relative_to(folder).with_suffix("").as_posix(): float(line.removesuffix(" CPU s"))
        for path, line in last.items()
        if line.endswith(" CPU s")
    }


def ends(needs: dict[str, list[str]], seconds: dict[str, float], cores: int) -> dict[str, float]:
    """When each job ends, if a free core takes the job with the most work behind it."""
    needs = needs | {name: [] for before in needs.values() for name in before if name not in needs}
    behind: dict[str, float] = {}

    def weight(name: str) -> float:
        if name not in behind:
            after = [other for other, before in needs.items() if name in before]
            behind[name] = seconds.get(name, 0.0) + max(map(weight, after), default=0.0)
        return behind[name]

    done: dict[str, float] = {}
    free, left = [0.0] * cores, sorted(needs, key=weight, reverse=True)
    while left:
        now = heapq.heappop(free)
        start = {
            n: max([now, *(done[b] for b in needs[n])]) for n in left if {*needs[n]} <= {*done}
        }
        name = min(start, key=lambda n: (start[n], -behind[n]))
        left.remove(name)
        done[name] = start[name] + seconds.get(name, 0.0)
        heapq.heappush(free, done[name])
    return done


if __name__ == "__main__":
    plan = planned()
    needs, seconds = needs_of(plan), seconds_of(plan.places.results)
    for cores in map(int, sys.argv[1:] or ["16"]):
        done = ends(needs, seconds, cores)
        last = max(done, key=done.get)
        print(f"{cores} cores: {done[last]:.0f} s, of {sum(seconds.values()):.0f} CPU s")
        while last:
            print(f"  {done[last]:6.1f}  {last}  ({seconds.get(last, 0):.1f} s)")
            last = max(needs.get(last, ()), key=done.get, default="")
