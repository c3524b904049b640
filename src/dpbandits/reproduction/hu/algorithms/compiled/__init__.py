"""The code of the algorithms of ../, which needs numba; each file has `one_run`."""
