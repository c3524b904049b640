# The whole workflow of dpbandits.   snakemake --cores all   (or: make)
#
# config/*.yaml -> simulate, study -> aggregate -> claims -> notebooks (figures) -> publish, report
# The config says what to run. Each rule runs a command of src/dpbandits/reproduction/__main__.py.
from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


wildcard_constraints:
    paper="[a-z0-9]+",
    experiment=r"[A-Za-z0-9][A-Za-z0-9._-]*",
    part=r"\d+",


include: "workflow/rules/common.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/notebooks.smk"
include: "workflow/rules/publish.smk"


localrules:
    tables,
    all,
    ledger,
    publish,
    assemble_report,
    write_archive,


rule all:
    default_target: True
    input:
        results("published.txt"),
        results("report.html"),


onstart:
    refuse_second_run()


onsuccess:
    if (
        os.path.exists(summary := results("published.txt"))
        and os.path.getmtime(summary) > STARTED
    ):
        print(Path(summary).read_text(), end="")
    if exists(results("report.html")):
        print(f"Where to look: open {results('report.html')} in a browser")
