# Everything that dpbandits reproduces.   snakemake --cores all   (or: make)
#
# config/*.yaml -> simulate, study -> aggregate -> notebooks (figures) -> publish into figures/, report
# What runs is decided in workflow/rules/common.smk from the config; the work is done in src/dpbandits.
from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/aggregate.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/notebooks.smk"
include: "workflow/rules/publish.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/paper.smk"


localrules:
    tables,
    all,
    typeset,
    ledger,
    publish,
    assemble_report,
    write_paper,
    write_archive,


rule all:
    default_target: True
    input:
        rules.publish.output,
        rules.assemble_report.output,


onstart:
    start_jobs_quickly()
    sleep_between_jobs()
    show_progress()


onsuccess:
    print_summary()


onerror:
    print_summary()
