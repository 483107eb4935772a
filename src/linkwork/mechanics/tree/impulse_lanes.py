"""[MST17] Test impulses by halves (impulses.py) for up to eight wrenches on one link at once, by vector instructions.

The eight impulses lie side by side, one component of all after the other: `lanes` is n, f and reach, each component
eight numbers. The formulas are those of impulses.py.
"""

from __future__ import annotations

from typing import Any

from linkwork._jit import intrinsic, kernel
from linkwork.mechanics.tree.impulses import ROUNDING, absorb_at_joint, size
from linkwork.spatial.codes import FREE, TURN, WELD
from linkwork.spatial.eight import EIGHT, Lanes
from linkwork.spatial.inertia import times
from linkwork.spatial.vectors import ZERO, add, add_scaled, cross, rotate, sub, unrotate

REACH = 6  # component of `lanes`
INVERSE = 12  # numbers of a row of `inverse`


def _put(lanes: Any, e: int, n: Any, f: Any, reach: float) -> None:
    for c, x in enumerate((*n, *f, reach)):
        lanes[c * EIGHT + e] = x


def _get(lanes: Any, e: int) -> Any:
    x = [float(lanes[c * EIGHT + e]) for c in range(7)]
    return tuple(x[:3]), tuple(x[3:6]), x[6]


class _Impulses:
    """The impulses in `lanes`, while an intrinsic is written."""

    def __init__(self, context: Any, builder: Any, kind: Any, lanes: Any) -> None:
        self.of = Lanes(context, builder)
        self.at = self.of.place(kind, lanes, self.of.whole(0), 7 * EIGHT)

    def load(self) -> Any:
        x = [self.of.load(self.at, c * EIGHT) for c in range(7)]
        return tuple(x[:3]), tuple(x[3:6]), x[6]

    def store(self, n: Any, f: Any, reach: Any) -> None:
        for c, x in enumerate((*n, *f, reach)):
            self.of.store(x, self.at, c * EIGHT)

    def row(self, kind: Any, array: Any, i: Any, width: int) -> Any:
        """Row i of a table, every number eight times."""
        place = self.of.place(kind, array, self.of.builder.mul(i, self.of.whole(width)), width)
        return tuple(self.of.spread_from(place, k) for k in range(width))

    def rows(self, kind: Any, array: Any, k: Any, count: int) -> list[Any]:
        """Places of `count` columns from k on in eight rows of a table."""
        builder = self.of.builder
        width = builder.extract_value(self.of.context.make_array(kind)(self.of.context, builder, array).shape, 1)
        starts = [builder.add(builder.mul(self.of.whole(e), width), k) for e in range(EIGHT)]
        return [self.of.place(kind, array, start, count) for start in starts]


def _place_wrenches(lanes, pose_R, pose_p, wrench, r, count, i, amount):
    """The wrenches r … r + count - 1 (about the world's origin, world axes) times `amount` as biases on link i."""
    X, x = tuple(pose_R[i]), tuple(pose_p[i])
    for e in range(EIGHT):
        w = wrench[r + min(e, count - 1)]
        _put(lanes, e, *_seen_from(X, x, tuple(w[:3]), tuple(w[3:]), amount))


def _seen_from(X, x, n, f, amount):
    reach = abs(amount) * (size(n) + size(x) * size(f))
    n, f = unrotate(X, sub(n, cross(x, f))), unrotate(X, f)
    return tuple(-amount * c for c in n), tuple(-amount * c for c in f), reach


@intrinsic(_place_wrenches)
def place_wrenches(typing_context, lanes, pose_R, pose_p, wrench, r, count, i, amount):
    from numba import types

    def generate(context, builder, signature, arguments):
        kinds = signature.args
        all_of = _Impulses(context, builder, kinds[0], arguments[0])
        of = all_of.of
        X = all_of.row(kinds[1], arguments[1], arguments[6], 9)
        x = all_of.row(kinds[2], arguments[2], arguments[6], 3)
        last = builder.sub(arguments[5], of.whole(1))
        places = []
        for e in range(EIGHT):
            beyond = builder.icmp_signed("<", last, of.whole(e))
            row = builder.add(arguments[4], builder.select(beyond, last, of.whole(e)))
            places.append(of.place(kinds[3], arguments[3], builder.mul(row, of.whole(6)), 6))
        n, f = (tuple(of.gather(places, 3 * half + c) for c in range(3)) for half in range(2))
        all_of.store(*_seen_from(X, x, n, f, of.spread(arguments[7])))
        return context.get_dummy_value()

    whole = types.int64
    return types.void(lanes, pose_R, pose_p, wrench, whole, whole, whole, types.float64), generate


def _seen_from_parent(R, p, n, f, reach):
    f = rotate(R, f)
    n = add(rotate(R, n), cross(p, f))
    return n, f, reach + size(p) * size(f) + size(n)


def _pass_on(lanes, R, p, i):
    """The impulses of link i as those of its parent."""
    for e in range(EIGHT):
        _put(lanes, e, *_seen_from_parent(tuple(R[i]), tuple(p[i]), *_get(lanes, e)))


@intrinsic(_pass_on)
def pass_on_lanes(typing_context, lanes, R, p, i):
    from numba import types

    def generate(context, builder, signature, arguments):
        kinds = signature.args
        all_of = _Impulses(context, builder, kinds[0], arguments[0])
        R = all_of.row(kinds[1], arguments[1], arguments[3], 9)
        p = all_of.row(kinds[2], arguments[2], arguments[3], 3)
        all_of.store(*_seen_from_parent(R, p, *all_of.load()))
        return context.get_dummy_value()

    return types.void(lanes, R, p, types.int64), generate


def _take_up_turn(lanes, U, inverse, i, u, z, k):
    """Link i, which turns, takes what it can of the impulses: into column k of u and z."""
    V, D = tuple(U[i]), inverse[i, 0]
    for e in range(EIGHT):
        n, f, reach = _get(lanes, e)
        left = -n[2] if abs(n[2]) > ROUNDING * reach else 0.0
        u[e, k], z[e, k] = left, D * left
        _put(lanes, e, add_scaled(n, D * left, V[:3]), add_scaled(f, D * left, V[3:]), reach)


@intrinsic(_take_up_turn)
def take_up_turn(typing_context, lanes, U, inverse, i, u, z, k):
    from numba import types

    def generate(context, builder, signature, arguments):
        kinds = signature.args
        all_of = _Impulses(context, builder, kinds[0], arguments[0])
        of = all_of.of
        n, f, reach = all_of.load()
        V = all_of.row(kinds[1], arguments[1], arguments[3], 6)
        D = all_of.row(kinds[2], arguments[2], arguments[3], INVERSE)[0]
        left = abs(n[2]).where("<=", ROUNDING * reach, 0.0, -n[2])
        g = D * left
        for x, table in ((left, 4), (g, 5)):
            of.scatter(x, all_of.rows(kinds[table], arguments[table], arguments[6], 1), 0)
        all_of.store(add_scaled(n, g, V[:3]), add_scaled(f, g, V[3:]), reach)
        return context.get_dummy_value()

    return types.void(lanes, U, inverse, types.int64, u, z, types.int64), generate


def _free_response(H, D, n, f):
    a = times(D[6:], sub(n, rotate(H, times(D[:6], f))))
    return a, times(D[:6], sub(f, unrotate(H, a)))


def _take_up_free(lanes, H, inverse, i, u, z, k):
    """A free link i takes all of the impulses: into six columns of u and z from k on."""
    for e in range(EIGHT):
        n, f, reach = _get(lanes, e)
        n, f = tuple(-x for x in n), tuple(-x for x in f)
        u[e, k : k + 6] = (*n, *f)
        a, b = _free_response(tuple(H[i]), tuple(inverse[i]), n, f)
        z[e, k : k + 6] = (*a, *b)
        _put(lanes, e, ZERO, ZERO, reach)


@intrinsic(_take_up_free)
def take_up_free(typing_context, lanes, H, inverse, i, u, z, k):
    from numba import types

    def generate(context, builder, signature, arguments):
        kinds = signature.args
        all_of = _Impulses(context, builder, kinds[0], arguments[0])
        of = all_of.of
        n, f, reach = all_of.load()
        n, f = tuple(-x for x in n), tuple(-x for x in f)
        H = all_of.row(kinds[1], arguments[1], arguments[3], 9)
        a, b = _free_response(H, all_of.row(kinds[2], arguments[2], arguments[3], INVERSE), n, f)
        for table, six in ((4, (*n, *f)), (5, (*a, *b))):
            places = all_of.rows(kinds[table], arguments[table], arguments[6], 6)
            for c, x in enumerate(six):
                of.scatter(x, places, c)
        zero = tuple(0.0 * x for x in n)
        all_of.store(zero, zero, reach)
        return context.get_dummy_value()

    return types.void(lanes, H, inverse, types.int64, u, z, types.int64), generate


@kernel
def take_up_other(tree, work, q, path, i):
    """Any other link, one impulse after the other."""
    x = path.lanes
    for e in range(EIGHT):
        n = (x[e], x[EIGHT + e], x[2 * EIGHT + e])
        f = (x[3 * EIGHT + e], x[4 * EIGHT + e], x[5 * EIGHT + e])
        n, f = absorb_at_joint(tree, work, q, path.tau, i, 0, n, f, x[REACH * EIGHT + e], path.u, path.z, e)
        for c in range(3):
            x[c * EIGHT + e] = n[c]
            x[(3 + c) * EIGHT + e] = f[c]


@kernel
def carry_together(tree, work, q, path, i, wrench, r, count, amount):
    """Up to eight impulses on link i, of the wrenches r … r + count - 1 times `amount`: rows of path.u and .z.

    As `carry_inward`, of a link whose way to the ground meets no other.
    """
    if i < tree.grounds:
        return
    place_wrenches(path.lanes, work.pose_R, work.pose_p, wrench, r, count, i, amount)
    while i >= tree.grounds:
        motion = tree.link_motion[i]
        k = tree.link_v[i]
        if motion == TURN:
            take_up_turn(path.lanes, work.U, work.inverse, i, path.u, path.z, k)
        elif motion == FREE:
            take_up_free(path.lanes, work.H, work.inverse, i, path.u, path.z, k)
        elif motion != WELD:
            take_up_other(tree, work, q, path, i)
        if tree.link_parent[i] >= tree.grounds:
            pass_on_lanes(path.lanes, work.R, work.p, i)
        i = tree.link_parent[i]
