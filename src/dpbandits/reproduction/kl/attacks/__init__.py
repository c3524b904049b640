"""Searches for data sets at which a bound of KL, printed or corrected, fails."""
