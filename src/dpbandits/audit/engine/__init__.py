"""What the audits stand on: laws of transcripts, piecewise densities, searches."""
