"""The exact privacy loss of each policy on a data set, over all neighbours."""
