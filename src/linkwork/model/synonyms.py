"""Names that users of other programs type, and the names used here."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_SAID: dict[str, str] = {  # our word: what others say
    "dt": "step stepsize step_size timestep time_step h delta_t max_step maxstep hmax fixed_step",
    "until": "t_end tend t_stop tstop t_final tfinal tf end end_time stop stop_time final_time duration time_end T",
    "method": "solver formulation algorithm engine",
    "integrator": "scheme ode stepper rule",
    "tolerance": "tol eps epsilon accuracy",
    "rtol": "reltol rel_tol relative_tolerance",
    "atol": "abstol abs_tol absolute_tolerance",
    "record": "output outputs columns save_columns log",
    "every": "stride decimation skip output_every",
    "start": "initial init x0 q0 state0",
    "mass": "m weight",
    "inertia": "I J moments moi inertia_tensor",
    "com": "cog cg center centre center_of_mass centre_of_mass r_com",
    "position": "pos origin location translation angle angle0 q",
    "rotation": "rot orientation quat quaternion rpy euler R attitude",
    "shape": "geometry geom visual solid",
    "material": "surface contact collision",
    "at": "point anchor location place pivot where",
    "axis": "direction normal axes dir",
    "velocity": "vel speed rate omega qd v",
    "stiffness": "k spring_constant rate spring",
    "damping": "c d damper damping_coefficient viscous",
    "length": "l0 rest_length free_length natural_length height",
    "angle": "rest angle0 rest_angle",
    "rest": "reference springref equilibrium",
    "limits": "range lower upper limit lower_limit upper_limit bounds stops",
    "friction": "mu frictionloss coulomb friction_coefficient",
    "restitution": "e bounce elasticity cor",
    "armature": "rotor_inertia rotor",
    "ratio": "gear gear_ratio multiplier",
    "max_torque": "effort max_effort max_force torque_limit force_limit",
    "gravity": "g grav gravitation",
    "law": "value function expression signal",
    "radius": "r",
    "size": "dimensions lengths sides extents half_extents",
    "scale": "unit units",
    "frequency": "f freq hz omega",
    "amplitude": "A amp",
}
SYNONYMS = {
    word: [ours for ours, said in _SAID.items() if word in said.split()] for word in " ".join(_SAID.values()).split()
}


def meant(option: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known names that `option` most likely means: first by names in other programs, then by spelling.

    >>> meant("step", ["dt", "steps_kept"]), meant("mas", ["mass", "com"])
    (['dt'], ['mass'])
    """
    names = list(known)
    ours = [name for name in SYNONYMS.get(option, SYNONYMS.get(option.lower(), [])) if name in names]
    return (
        ours
        or difflib.get_close_matches(option, names, n=most)
        or difflib.get_close_matches(option.lower(), names, n=1)
    )
