"""How HU's algorithms leap: episodes, phases, tails, short horizons."""
