"""The report: a front page over what a run made, with the workflow's own report inside."""
