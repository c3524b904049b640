"""The grey-box audit: run a program, replay it on neighbours, and judge what its noise hides.

Read in this order: tape (what is recorded), noisy (numbers that remember their noise), generator
(who draws them), align (the least shift of the noise that hides a change), pairs, exact (losses by
all ways, or by derivatives), judge (the four answers), functions and learners (what is audited).
"""
