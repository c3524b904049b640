#!/bin/sh
# The state of one job, in Snakemake's words: success, failed or running.
case $(squeue --noheader --states=all --jobs="$1" --format=%T) in
    COMPLETED) echo success ;;
    PENDING | CONFIGURING | RUNNING | COMPLETING | SUSPENDED) echo running ;;
    *) echo failed ;;
esac
