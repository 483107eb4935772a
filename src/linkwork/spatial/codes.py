"""The numbers by which the tables name motions, constraint rows, measures and laws."""

from __future__ import annotations

# motions: what a tree joint integrates, about or along z of its frame
WELD = 0
TURN = 1
SLIDE = 2
HELICAL = 3
SWING = 4  # a quaternion of b in a, angular velocity in the axes of b
SWING_BACK = 5  # the same joint walked from b to a
FREE = 6  # position and quaternion; linear and angular velocity in the axes of a
GIVEN = 7  # a ground: moves by given laws, or not at all

# constraint rows of a joint: e_i of frame a, e_j of frame b, d from the origin of a to that of b
ALONG = 0  # d . e_i = 0
CROSSED = 1  # e_i . e_j = 0
COUPLE = 2  # d . z - pitch * angle = 0
DISTANCE = 3  # |d| - length = 0
ACROSS = 4  # row i of a point on curve j
ON_SURFACE = 5  # a point on surface j
# those of wheels that roll, after all others; u: velocity of b less that of a at the contact point
RIM = 6  # the lowest point of a disc is on the plane
SLIP = 7  # u . e_i = 0
TANGENT = 8  # u . t = 0, t along both of two wheels

# rows of natural coordinates
KEPT = 0  # the product of two directions of one body
TIED = 1  # a coordinate that depends on others of its body, linearly
PART = 2  # a constraint row of a joint
COUPLED = 20  # a row of a coupling
# and what adds stiffness and damping to them
SOFT_SPRING = 3
SOFT_COIL = 4
SOFT_DRIVE = 5
SOFT_LOAD = 6
SOFT_TYRE = 7
SOFT_BUSHING = 8

# measures: coordinates of a joint that closes a loop
ANGLE_Z = 0  # of b in a about z
OFFSET = 1  # d . e_i
ANGLE_FIRST = 2  # universal: about x of a
ANGLE_SECOND = 3  # universal: about y of b
ANGLE_SCREW = 4  # about z, moves with the helical motion
ARC_LENGTH = 5  # along a curve
LENGTH = 6  # of d: a rod that a motor drives
ATTITUDE = 7  # quaternion (three rates, in the axes of b); from here on a measure has three rates
ATTITUDE_OUTER = 8  # the same with the rates in the axes of a

# surfaces that guide a point
PLANE_GUIDE = 0
CYLINDER_GUIDE = 1
SPHERE_GUIDE = 2
HEIGHTS_GUIDE = 3

# softness of limits, motors and contacts
RIGID = 0
SPRING = 1  # stiffness, damping
SWINGING = 2  # hertz, damping ratio
BEDDED = 3  # of a surface: pressure per depth, damping ratio; of a contact: stiffness, damping ratio

# how a step moves a joint with a cone: each of its bodies, a turn of b in a, or two angles
BY_BODIES = 0
BY_TURN = 1
BY_ANGLES = 2

# zones of touch sensors, besides SPHERE and BOX
WHOLE = -1

# colliders, simple ones first
PLANE = 0
SPHERE = 1
CAPSULE = 2
BOX = 3
CYLINDER = 4
HULL = 5
ELLIPSOID = 6
FIELD = 7

# where the larger friction of a surface with a grain is
ALONG_GRAIN = 1
ACROSS_GRAIN = 2

# laws
CONSTANT = 0
COSINE = 1
TABLE = 2
SPLINE = 3
FUNCTION = 4
SERVO = 5  # the torque of a motor that follows another law: stiffness, damping, the most it gives, that law
VELOCITY_SERVO = 6  # the same of a motor whose law is a rate
SEEING = 7  # a function of what it sees, and of states of its own: where they stand in law_input
RATE = 8  # the rate of one of these states, on the slide whose speed it is: the block, the state, its scale, gravity

# what laws see
LOOKED = 16  # numbers of law_input before it
SEEN_PLACE = 0  # a joint coordinate
SEEN_RATE = 1  # its rate
SEEN_BODY = 2  # a number of a body's position, quaternion, velocity, angular velocity
SEEN_INPUT = 3  # the number of a constant law
SEEN_NOTHING = 4  # room for what the law tells

# what a law takes besides the time
INPUT_NONE = 0
INPUT_COORDINATE = 1
INPUT_BODY = 2

# pieces of roads
LEVEL = 0  # a height, or a law of time
BUMP = 1  # one wave of a cosine
RISE = 2  # half a wave: a rounded step
RAMP = 3
PROFILE = 4  # a curve over x
SURFACE = 5  # a function of the user

MANY_CORNERS = 16  # of a hull: with more it touches a plane in four points at most
