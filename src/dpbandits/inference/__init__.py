"""How large, how sure, and which is best: from releases that are public anyway.

Read `evidence.py` (what a release says, as plain code that also compiles), then `intervals.py`
(intervals, differences, the best arm), then `binary.py` (sharper, for rewards of 0 and 1). Proofs:
docs/proofs/INFERENCE.md. NumPy alone.
"""
