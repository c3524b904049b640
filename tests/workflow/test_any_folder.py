"""A checkout may be in any folder: Snakemake passes paths to a shell."""

import pytest

pytestmark = pytest.mark.pipeline


def test_folder_with_spaces_quotes_and_braces_in_its_name(whole_run):
    assert set(" '(),{}") <= set(whole_run.folder.name)
    assert whole_run.interpreter.is_relative_to(whole_run.folder)
    for made in ("tables/hu/tiny.csv", "notebooks/hu/figures.html", "report.html"):
        assert (whole_run.folder / "results" / made).stat().st_size
