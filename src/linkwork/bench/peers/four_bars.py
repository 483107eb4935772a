"""Four-bars in a row: numbers that all engines share.

The class of an engine has `reset` (to the start), `all` (run to `UNTIL`) and `error` (the largest deviation of the
energy on the way, J).
"""

GRAVITY = 9.81  # m/s2
UNTIL = 10.0  # s
