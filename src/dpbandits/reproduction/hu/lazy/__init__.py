"""Exact laws of the transcripts of HU's lazy algorithms, for two arms and few rounds."""
