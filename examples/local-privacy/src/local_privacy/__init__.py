"""LP: explore, then commit, where every reward is reported by randomised response (Warner 1965)."""
