"""The grey-box audit: run a program, replay it on neighbours, and judge what its noise hides.

Read in this order: tape and generator (what is recorded), losses (what a replay compares), program
(what is run), replays (runs and compares pairs), shown and choices (whether the output gives away
what was noised), verdict (when a claim is refuted: repeats, samples and the words).
"""
