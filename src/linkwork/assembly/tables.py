"""The constant tables of a system. Built once by `assemble`, never changed; every kernel reads them.

A *link* is one motion and what it carries: the grounds come first (link 0 is the world), then the moving links,
each tree in one piece, parents before children. A joint of several motions is several links, of which only the
last carries a body. A link's frame sits where its joint's frame b sits: its motion is about or along its own z.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Tree(NamedTuple):
    """Links, and the bodies on them."""

    grounds: int  # links 0 … grounds-1 are grounds
    gravity: Floats  # (3,) m/s2
    link_parent: Ints  # (link,)
    link_motion: Ints  # (link,) a code of spatial.codes
    link_turn: Floats  # (link,) 1 where a unit of the coordinate turns by one radian about z
    link_slide: Floats  # (link,) m along z per unit of the coordinate
    link_q: Ints  # (link,) first place in q
    link_v: Ints  # (link,) first place in v
    link_R: Floats  # (link, 9) the motion's frame in the parent's link frame
    link_p: Floats  # (link, 3) m
    link_mass: Floats  # (link,) kg
    link_h: Floats  # (link, 3) kg m, mass times centre of mass, link frame
    link_I: Floats  # (link, 6) kg m2 about the link's origin, link axes
    link_branches: Ints  # (link,) 0 where its one child is the next link and both turn, or where there is none
    link_first: Ints  # (link,) first link of its tree
    link_last: Ints  # (link,) one past the last link of its tree
    link_counted: Ints  # (link,) 0 where its mass carries a state of a law, or is lent: no energy; 2: that about z
    lent_link: Ints  # (lent,) links that lack inertia and have next to none, whose forces are not to be felt
    lent_inertia: Floats  # (lent, 2) kg, and kg m2 about every axis through the centre of mass
    dof_link: Ints  # (dof,)
    dof_armature: Floats  # (dof,) kg m2 or kg
    body_link: Ints  # (body,)
    body_R: Floats  # (body, 9) the body's frame in its link's frame
    body_p: Floats  # (body, 3) m
    ground_law: Ints  # (ground, 4) laws of x, y, z, angle; -1 where none
    ground_axis: Floats  # (ground, 3) axis of the angle
    ground_R: Floats  # (ground, 9) reference pose
    ground_p: Floats  # (ground, 3)
    link_part: Ints  # (link,) part of the model that energy leaves by contact only; see energy_parts
    accounts: int  # of energy, at the end of y: wasted and fed in, of all, then of each part but the first


class Guides(NamedTuple):
    """Curves and surfaces that points are held on, in the axes of frame a of their joints. Lengths in metres."""

    curve_piece: Ints  # (curve + 1,) first piece
    curve_closed: Ints  # (curve,)
    curve_length: Floats  # (curve,)
    curve_block: Ints  # (curve + 1,) first block
    block_piece: Ints  # (block + 1,) first piece of some that follow each other
    block_center: Floats  # (block, 3) of a ball around their chords
    block_radius: Floats  # (block,)
    piece_round: Ints  # (piece,) 1 where C = c0 + c1 cos u + c2 sin u, else C = c0 + c1 u + c2 u^2 + c3 u^3
    piece_span: Floats  # (piece,) u at its end; 0 at its beginning
    piece_start: Floats  # (piece,) arc length there
    piece_bend: Floats  # (4 piece, 3) c0 … c3
    piece_normal: Floats  # (4 piece, 3) first normal at its beginning and end, second normal there
    piece_corner: Floats  # (piece, 3) point at its beginning
    piece_chord: Floats  # (piece, 3) from there to its end
    piece_shrink: Floats  # (piece,) one over the square of the chord
    surface_kind: Ints  # (surface,)
    surface_center: Floats  # (surface, 3)
    surface_axis: Floats  # (surface, 3) unit; normal of a plane
    surface_radius: Floats  # (surface,)
    surface_grid: Ints  # (surface, 3) into grid: first x, first y, one past the last y
    surface_cell: Ints  # (surface,) first cell
    grid: Floats  # rising x, then rising y, of each field of heights
    cell: Floats  # (cell, 16) powers of x and y in it, that of y varies faster; cells along y follow each other
    edge_q: Ints  # (edge,) place in the cut coordinates that must stay between two numbers
    edge_low: Floats  # (edge,)
    edge_high: Floats  # (edge,)


class Cuts(NamedTuple):
    """Joints that close loops: their frames, their rows, their coordinates; then what couples joint coordinates.

    Rows come in groups: those of every cut, then one of every coupling (motors that hold rigidly, gears, cams). A joint
    of the tree that is coupled is listed among the cuts too, without rows: for its coordinate.
    """

    cut_a: Ints  # (cut,) link
    cut_b: Ints  # (cut,)
    cut_Ra: Floats  # (cut, 9) frame a in link a
    cut_pa: Floats  # (cut, 3)
    cut_Rb: Floats  # (cut, 9) frame b in link b
    cut_pb: Floats  # (cut, 3)
    cut_row: Ints  # (group + 1,) first row
    cut_measure: Ints  # (cut + 1,) first measure
    row_kind: Ints  # (row,) ALONG … TANGENT
    row_i: Ints  # (row,)
    row_j: Ints  # (row,) of a guide its curve or surface
    row_pitch: Floats  # (row,) m/rad; length of a distance, size of a guide, radius of a rim, m; of a tangent a's share
    measure_kind: Ints  # (measure,)
    measure_axis: Ints  # (measure,) of an arc length its curve
    measure_q: Ints  # (measure,) place in the cut coordinates
    measure_rate: Ints  # (measure,) place among the rates of the cuts
    path_start: Ints  # (group + 1,) into path_dof
    path_dof: Ints  # dofs that move b or a, but not both; of a coupling, those of its terms
    path_sign: Floats  # +1 on the way to b, -1 on the way to a; of a coupling 0
    guides: Guides
    side_link: Ints  # (group, side) links that the rows of a group hold: a and b of a cut; -1 where there are fewer
    coupling_term: Ints  # (coupling + 1,) first term
    coupling_law: Ints  # (coupling,) law that its terms add up to, -1 where none
    coupling_rate: Ints  # (coupling,) 1 where the law gives the rate
    coupling_play: Floats  # (coupling,) rad or m by which it may be off to both sides; 0 for none
    coupling_q: Ints  # (coupling,) place of its offset in the cut coordinates: what its terms add up to without a law
    term_cut: Ints  # (term,) the cut whose coordinate it is
    term_measure: Ints  # (term,) the measure of that cut
    term_coordinate: Ints  # (term,) the same as in `Forces`: a dof, or from nv on a rate of a cut
    term_factor: Floats  # (term,)
    term_curve: Ints  # (term,) curve over the coordinate, -1 where it is the coordinate itself
    term_side: Ints  # (term, 2) sides of its links a and b; -1 for the world
    term_place: Ints  # (term + 1,) into place_on_path
    place_on_path: Ints  # for each dof on the path of the term's cut: its place on the path of the coupling
    curve_start: Ints  # these four as in `Forces`
    piece_from: Floats
    piece_origin: Floats
    piece_power: Floats
    curve_period: Floats  # (curve,) rad or m after which it repeats; 0 where it does not


class Forces(NamedTuple):
    """Force elements. A coordinate is a dof (0 … nv-1) or, from nv on, a rate of a cut."""

    spring_a: Ints  # (spring,) link
    spring_b: Ints
    spring_pa: Floats  # (spring, 3) in link a
    spring_pb: Floats
    spring_k: Floats  # N/m
    spring_c: Floats  # N s/m
    spring_length: Floats  # m, unloaded, or where the energy of its curve is counted from
    spring_elastic: Ints  # (spring,) curve of the pull over the length, -1 where spring_k says it
    spring_viscous: Ints  # (spring,) curve of the pull over the rate, -1 where spring_c says it
    spring_law: Ints  # (spring,) law of a further pull, or -1
    spring_guided: Ints  # (spring,) 1 where it acts along an axis of a
    spring_axis: Floats  # (spring, 3) in link a
    coil_coordinate: Ints  # (coil,) springs and dampers on joint coordinates
    coil_q: Ints  # its place in q, or from nq on among the cut coordinates; -1 for a pure damper
    coil_k: Floats  # N m/rad or N/m
    coil_c: Floats
    coil_rest: Floats
    drive_coordinate: Ints  # (drive,) laws on joint coordinates
    drive_q: Ints
    drive_law: Ints
    load_body: Ints  # (load,) laws on bodies
    load_link: Ints  # (load,)
    load_point: Floats  # (load, 3) in the link
    load_axis: Floats  # (load, 3) in the body, or the world
    load_is_torque: Ints
    load_in_body: Ints  # components in the body's axes
    load_is_vector: Ints  # three components: of one function, or of three laws in a row
    load_law: Ints
    tyre_link: Ints  # (tyre,)
    tyre_point: Floats  # (tyre, 3) centre, in the link
    tyre_axis: Floats  # (tyre, 3) in the link
    tyre_radius: Floats  # m
    tyre_k: Floats  # N/m
    tyre_c: Floats  # N s/m
    tyre_side: Ints  # (tyre,) row of its side law, -1 where none
    tyre_road: Ints  # (tyre + 1,) first piece of its road
    side: Floats  # (side law, 12) numbers of `Calspan` in their order
    road_kind: Ints  # (piece of a road,)
    road_from: Floats  # m along x
    road_length: Floats  # m; of a surface: 1 where it tells its slopes
    road_height: Floats  # m
    road_content: Ints  # law or curve, -1 where none
    rotor_link: Ints  # (rotor,)
    rotor_momentum: Floats  # (rotor, 3) N m s, in the link
    curve_start: Ints  # (curve + 1,) first piece
    piece_from: Floats  # (piece of a curve,) holds from here on
    piece_origin: Floats  # (piece,) x0
    piece_power: Floats  # (piece, 6) coefficients in x - x0, from the constant up
    piece_area: Floats  # (piece,) integral of the curve at x0
    bushing_a: Ints  # (bushing,) link
    bushing_b: Ints
    bushing_pa: Floats  # (bushing, 3) origin of its frame on a, in the link
    bushing_pb: Floats
    bushing_Ra: Floats  # (bushing, 9) axes of that frame, in the link
    bushing_Rb: Floats
    bushing_basis: Floats  # (bushing, 6, 6) its six springs: what each feels of the shifts and turns
    bushing_k: Floats  # (bushing, 6) stiffness of each
    bushing_c: Floats  # (bushing, 6) damping of each


class Drives(NamedTuple):
    """What holds or drives joint coordinates by impulses: limits, dry friction, motors.

    A coordinate is a dof or a rate of a cut, its value a place in q or among the cut coordinates, both as in `Forces`.
    Softness is a row (kind, x, y): RIGID; SPRING, x = k and y = c; SWINGING, x in hertz and y the damping ratio.
    """

    limit_coordinate: Ints  # (limit,)
    limit_q: Ints
    limit_low: Floats  # rad or m; -inf where there is none
    limit_high: Floats
    limit_soft: Floats  # (limit, 3)
    cone_a: Ints  # (cone,) link of a
    cone_b: Ints
    cone_Ra: Floats  # (cone, 9) axes of the joint in the link of a: z is the axis of the cone
    cone_Rb: Floats
    cone_moves: Ints  # (cone,) how a step moves the joint, a code of spatial.codes
    cone_swing: Floats  # rad, most angle between the two z; inf where there is none
    cone_low: Floats  # rad, twist of b about its z; -inf where there is none
    cone_high: Floats
    cone_turn: Floats  # rad, most angle of the whole turn; inf where there is none
    cone_soft: Floats  # (cone, 3)
    ball_friction_a: Ints  # (ball,) dry friction of ball joints: link of a
    ball_friction_b: Ints
    ball_friction_most: Floats  # N m, length of the torque
    friction_coordinate: Ints  # (friction,)
    friction_most: Floats  # N m or N
    motor_coordinate: Ints  # (motor,)
    motor_q: Ints
    motor_law: Ints
    motor_servo: Ints  # 1 where the law is a position, 0 a velocity
    motor_most: Floats  # N m or N; inf where there is no bound
    motor_soft: Floats  # (motor, 3)


class Laws(NamedTuple):
    """Laws of time, or of time and kinematics."""

    law_kind: Ints  # (law,)
    law_input: Ints  # (law,) what a function is told
    law_param: Floats  # (law, 4): a constant's value, or amplitude, frequency, phase, offset
    law_start: Ints  # (law + 1,) knots of the tables
    law_time: Floats  # (knot,)
    law_value: Floats  # (knot, 4) the cubic of the interval that begins here, from the constant up
    law_address: Ints  # (law,) of a compiled function
    input_law: Ints  # (input,) constant laws that can be set
    # what laws see, in the order of law_input behind the first LOOKED of it
    seen_kind: Ints  # (seen,)
    seen_index: Ints  # (seen,) coordinate, body or law
    seen_part: Ints  # (seen,) which number of a body
    seen_scale: Floats  # (seen,) what it is multiplied by


class Colliders(NamedTuple):
    """Shapes that meet each other. Spheres and capsules are one or two vertices with a radius, planes have none.

    Boxes, hulls and (as prisms) cylinders are polyhedra: their vertices, faces with normals outward and the vertices
    around them counter-clockwise, and the directions of their edges. All in the collider's own axes.
    """

    link: Ints  # (collider,)
    kind: Ints  # (collider,) a code of spatial.codes
    R: Floats  # (collider, 9) its axes in the link
    p: Floats  # (collider, 3) m, its centre in the link
    size: Floats  # (collider, 3) m: radius; radius and half the length; half the lengths of a box, field or ellipsoid
    bound: Floats  # (collider,) m, radius of a ball around its centre; of planes inf
    thin: Floats  # (collider,) m, half its least width; of planes and fields inf
    slop: Floats  # (collider,) m: what is nearer touches, and overlaps up to this are left; of planes inf
    friction: Floats  # (collider,) coefficient, the larger one of two
    friction_ratio: Floats  # (collider,) the smaller one of two, as a part of it; 1 where there is one
    grain_kind: Ints  # (collider,) 0 without a grain; ALONG_GRAIN or ACROSS_GRAIN where the larger friction is
    grain: Floats  # (collider, 3) unit, its direction in the link
    restitution: Floats  # (collider,)
    bounce_speed: Floats  # (collider,) m/s, slower ones do not bounce; -1: `slow` is that speed
    slow: Floats  # (collider,) m/s
    rolling: Floats  # (collider,) m
    torsional: Floats  # (collider,) m
    has_moments: int  # 1 where some contact may resist rolling or turning
    soft: Floats  # (collider, 3) as in `Drives`; or BEDDED, pressure per depth (N/m3), damping ratio
    can_collide: Ints  # (collider, collider) 1 where the two may meet, 2 + k where they do so as pair k
    pair_friction: Floats  # (pair,) coefficient, or -1: as the materials of the two
    pair_restitution: Floats  # (pair,) the same
    pair_bounce_speed: Floats  # (pair,) m/s, the same
    pair_rolling: Floats  # (pair,) m, the same
    pair_torsional: Floats  # (pair,) m, the same
    adjacent_start: Ints  # (collider + 1,)
    adjacent: Ints  # solids of the same link that touch or overlap the collider
    vertex_start: Ints  # (collider + 1,)
    vertex: Floats  # (vertex, 3) m
    face_start: Ints  # (collider + 1,)
    face_normal: Floats  # (face, 3)
    face_loop: Ints  # (face + 1,) into loop
    loop: Ints  # vertices around the faces
    neighbour_start: Ints  # (vertex + 1,) into neighbour
    neighbour: Ints  # vertices at the other ends of the edges of a vertex
    edge_start: Ints  # (collider + 1,)
    edge: Floats  # (edge, 3) unit
    grid_start: Ints  # (collider,) first height of a height field
    grid_shape: Ints  # (collider, 2) points along its x and y
    grid: Floats  # m, y varies faster
    capacity: int  # contacts that there may be at once


class Zones(NamedTuple):
    """Where touch sensors feel: a whole body, or a box or ball in its frame."""

    link: Ints  # (zone,)
    kind: Ints  # (zone,) WHOLE, or the code of a shape
    R: Floats  # (zone, 9) its axes in the link
    p: Floats  # (zone, 3) m, its centre in the link
    size: Floats  # (zone, 3) m, half the lengths of a box, or the radius of a ball
    senses: Ints  # (zone, collider) 1 where the collider is one of its body


class Tables(NamedTuple):
    tree: Tree
    cuts: Cuts
    forces: Forces
    laws: Laws
    drives: Drives
    colliders: Colliders
    zones: Zones
