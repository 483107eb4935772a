"""What a strict run is held to, and beyond which a run is in doubt."""

from __future__ import annotations

import math

POOR_BALANCE = 1e-2  # of the energy that moved: a run with more than this missing is not to be trusted
POOR_IMPULSES = 2e-3  # of the impulses of a step, on average: what steps that were cut short may leave unsettled
POOR_APART = 0.05  # of the energy that moved: what contacts may take from bodies that then do not touch
POOR_ROLLING = 0.2  # of the energy that moved: what contacts may take from bodies that roll, rock or rest
POOR_SEAM = 0.05  # of the energy that moved, taken by contacts at sides that are level
POOR_SOFT = 0.02  # of the energy that moved: what soft contacts and stops may take beyond their law
POOR_PRESS = 1e4  # of the impulse that stops all that moves: what rigid motors may press contacts with in a step
POOR_SUNK = 1.0  # of half their thickness: how deep bodies may sink into soft contacts
POOR_SPRINGS = 0.02  # of the energy that moved: what springs may hold more at the recorded places than in between
POOR_OVERLAP = 0.02  # of the size of the model: what bodies may overlap by in the end
# what a strict run is held to: parts of the energy that moved, of the size of the model, of impulses; steps
BOUNDS = {
    "energy": POOR_BALANCE,
    "part": POOR_BALANCE,
    "gain": POOR_BALANCE,
    "drift": 1e-3,
    "quaternion": 1e-6,
    "unsettled": POOR_IMPULSES,
    "apart": POOR_APART,
    "rolling": POOR_ROLLING,
    "seam": POOR_SEAM,
    "overlap": POOR_OVERLAP,
    "numerical": POOR_SOFT,
    "springs": POOR_SPRINGS,
    "sunk": POOR_SUNK,
    "pressed": POOR_PRESS,
    "cut": math.inf,  # steps may be cut short as long as little is left: this is for those who ask
}
# what is said where a run is beyond its bound; "unsettled" has words of its own
WORDS = {
    "energy": "the energy balance is off by {:.2g} of what moved",
    "part": "the energy balance of one part is off by {:.2g} of what moved in it",
    "gain": "friction, stops or contacts gave {:.2g} of what moved",
    "drift": "the loops drift by {:.2g} of the size of the model",
    "quaternion": "the quaternions leave unit length by {:.2g}",
    "apart": "contacts took {:.2g} of what moved from bodies that did not touch",
    "rolling": "contacts took {:.2g} of what moved from bodies that only rolled or rested",
    "seam": "contacts took {:.2g} of what moved at seams that are level",
    "overlap": "bodies overlap by {:.2g} of the size of the model in the end",
    "numerical": "soft contacts and stops took {:.2g} of what moved beyond their law",
    "springs": "springs swing too fast for the step: where they are recorded, {:.2g} of what moved is too much",
    "sunk": "soft contacts were {:.2g} times half the mean thickness of two bodies deep, and may let them through",
    "pressed": "contacts pressed with {:.2g} times what would stop all that moves; rigid motors drive what cannot go",
    "cut": "{:g} steps were cut short by their number of sweeps",
}
# what to try against doubts that have one answer
REMEDIES = {
    **dict.fromkeys(("cut", "unsettled"), "give more iterations=, and look for drives that contradict each other"),
    "pressed": "give the motor a max_torque= or a softness=, or the parts more play",
    "springs": "take a smaller dt, at least twenty-two steps for a period of each spring",
    "sunk": "give a stiffer softness=",
    "numerical": "take a smaller dt, a softer softness=, or more damping, which then takes it by law",
}
