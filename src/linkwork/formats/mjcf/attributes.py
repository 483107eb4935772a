"""The attributes of MJCF that the reader takes into account, by element; any other one is told as lost.

Most of them MuJoCo's compiler resolves: classes, angles, frames, units. The numbers that come out of it are then read,
and what of them has no counterpart is told there.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


POSE = "pos quat axisangle xyaxes zaxis euler"
SOFTNESS = _words("solref solimp solreflimit solimplimit solreffriction solimpfriction solmix torquescale")
_JOINT = (
    "name class type pos axis group limited range margin ref springref springdamper stiffness damping frictionloss "
    "armature user springyield actuatorfrcrange actuatorfrclimited actuatorgravcomp "
    "solreflimit solimplimit solreffriction solimpfriction"
)
_GEOM = (
    f"name class type {POSE} size fromto contype conaffinity condim group priority material friction mass density "
    "shellinertia solmix solref solimp margin gap hfield mesh fitscale rgba user castshadow surfacevel adhesion "
    "fluidshape fluidcoef"
)
_TENDON = (
    "name class group limited actuatorfrclimited range actuatorfrcrange springlength springyield stiffness damping "
    "frictionloss armature margin material width rgba user solreflimit solimplimit solreffriction solimpfriction"
)
_ACTUATOR = (
    "name class group ctrllimited forcelimited actlimited ctrlrange forcerange actrange lengthrange gear cranklength "
    "joint jointinparent tendon cranksite slidersite site refsite body user armature damping delay nsample interp "
    "dyntype gaintype biastype dynprm gainprm biasprm actdim actearly inheritrange kp kv dampratio timeconst area "
    "diameter bias range force scale lmin lmax vmax fpmax fvmax tausmooth gain input ki imax slewmax posrange velrange "
    "ffrange cogging controller inductance lugre motorconst nominal resistance saturation thermal"
)
ACTUATORS = _words(
    "general motor position velocity intvelocity damper cylinder muscle adhesion orientation pid dcmotor"
)

KNOWN: dict[str, frozenset[str]] = {
    "mujoco": _words("model"),
    "include": _words("file"),
    "compiler": _words(
        "alignfree angle assetdir autolimits balanceinertia boundinertia boundmass conflict coordinate discardvisual "
        "eulerseq fitaabb fusestatic inertiafromgeom inertiagrouprange meshdir savecanonical savecompiled saveinertial "
        "settotalmass strippath texturedir usethread passthrough"
    ),
    "option": _words(
        "actuatorgroupdisable ccd_iterations ccd_tolerance cone density gravity impratio integrator iterations "
        "jacobian ls_iterations ls_tolerance magnetic noslip_iterations noslip_tolerance o_friction o_margin o_solimp "
        "o_solref sdf_initpoints sdf_iterations sleep_tolerance solver timestep tolerance viscosity wind"
    ),
    "flag": _words(
        "actuation autoreset clampctrl constraint contact damper diagexact energy equality eulerdamp filterparent "
        "frictionloss fwdinv gravity invdiscrete ipc island limit midphase multiccd nativeccd override refsafe sensor "
        "sleep speculative spring warmstart"
    ),
    "default": _words("class"),
    "asset": frozenset(),
    "material": _words(
        "name class texture texrepeat texuniform emission specular shininess reflectance metallic roughness rgba"
    ),
    "mesh": _words(
        "name class file content_type scale inertia smoothnormal maxhullvert vertex normal texcoord face refpos "
        "refquat builtin params material"
    ),
    "hfield": _words("name file content_type nrow ncol size elevation"),
    "worldbody": _words("name pos quat"),
    "body": _words(f"name childclass {POSE} mocap gravcomp user sleep simple fuse"),
    "frame": _words(f"name childclass {POSE}"),
    "replicate": _words("childclass count euler sep offset"),
    "inertial": _words(f"{POSE} mass diaginertia fullinertia"),
    "joint": _words(_JOINT),
    "freejoint": _words("name group align"),
    "geom": _words(_GEOM),
    "site": _words(f"name class type group {POSE} size fromto material rgba user mesh"),
    "contact": frozenset(),
    "pair": _words("name class geom1 geom2 condim friction solref solimp solreffriction margin gap adhesion"),
    "exclude": _words("name body1 body2"),
    "tendon": _words(_TENDON),
    "spatial": _words(_TENDON),
    "fixed": _words(_TENDON),
    "pulley": _words("divisor"),
    "equality": _words("active solref solimp class"),
    "connect": _words("name class active solref solimp body1 body2 anchor site1 site2"),
    "weld": _words("name class active solref solimp body1 body2 anchor relpose torquescale site1 site2"),
    "actuator": frozenset(),
    "keyframe": frozenset(),
    "key": _words("name time qpos qvel act ctrl mpos mquat"),
    **{tag: _words(_ACTUATOR) for tag in ACTUATORS},
}
# elements that have another meaning inside others
INSIDE: dict[tuple[str, str], frozenset[str]] = {
    ("equality", "joint"): _words("name class active solref solimp joint1 joint2 polycoef"),
    ("equality", "tendon"): _words("name class active solref solimp tendon1 tendon2 polycoef"),
    ("fixed", "joint"): _words("joint coef"),
    ("spatial", "site"): _words("site"),
    ("spatial", "geom"): _words("geom sidesite"),
}
