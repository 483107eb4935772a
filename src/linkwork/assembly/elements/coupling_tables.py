"""What couples joint coordinates becomes rows: gears, racks, differentials, cams, and motors that hold rigidly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.elements.curve_tables import curve_rows
from linkwork.assembly.laws.law_tables import LawTable
from linkwork.assembly.tables import Cuts, Tree
from linkwork.errors import ModelError
from linkwork.model import Coupling, Distance, Model, Motor, Term
from linkwork.model.forces.curves import MOST
from linkwork.model.joints.cam_curve import CamCurve
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.spatial import codes

# what `with_couplings` fills in
NO_COUPLINGS: dict[str, Any] = dict.fromkeys(Cuts._fields[Cuts._fields.index("side_link") :])


class Coupled(NamedTuple):
    """One row of the tables: a coupling, or a motor that holds rigidly."""

    part: Coupling | Motor
    terms: tuple[Term, ...]
    law: int = -1
    follows_rate: bool = False

    @property
    def slides(self) -> bool:
        """Whether its equation is in metres."""
        first = self.terms[0]
        if isinstance(first.joint, Distance):
            return True
        return KINDS[first.joint.kind].units.rate[first.coordinate] == "m"

    @property
    def play(self) -> float:
        """By how much it may be off to both sides, rad or m."""
        return 0.5 * self.part.backlash if isinstance(self.part, Coupling) else 0.0

    @property
    def offset(self) -> float:
        """What its terms add up to where it has no law; nan where the start decides."""
        if isinstance(self.part, Motor):
            return np.nan if self.follows_rate else 0.0
        return self.part.offset if self.part.counted else np.nan


def coupled_parts(model: Model, held: set[str], laws: LawTable, driven: bool) -> list[Coupled]:
    """Couplings whose joints are `held` now; with `driven`, motors that hold rigidly too."""
    found = []
    for drive in model.all_drives():
        if isinstance(drive, Coupling):
            if all(joint.path in held for joint in drive.joints):
                found.append(Coupled(drive, drive.whole))
        elif (driven or drive.drives_rod) and drive.rigid and drive.joint.path in held:
            law = drive.velocity if drive.position is None else drive.position
            assert law is not None
            settable = drive.position is None and not hasattr(law, "function")
            row, vector = laws.add(law, drive, motion=not settable)
            if vector and laws.kind[row] != codes.FUNCTION:
                raise ModelError(f"motor '{drive.path}': its law has three numbers; give it one")
            found.append(Coupled(drive, (Term(drive.joint, 1.0, None, drive.coordinate),), row, drive.position is None))
    return found


def with_couplings(cuts: Cuts, coupled: Sequence[Coupled], measured: Mapping[int, int], tree: Tree) -> Cuts:
    """The tables with the rows of couplings; `measured` are the cuts that have the coordinates of joints."""
    count = len(cuts.cut_a)
    sides = [[int(cuts.cut_a[c]), int(cuts.cut_b[c])] for c in range(count)]
    terms: list[Any] = []
    term_sides: list[list[int]] = []
    starts, paths, places, place_starts = [0], [], [], [0]
    curves: list[CamCurve] = []
    for each in coupled:
        of = [measured[id(term.joint)] for term in each.terms]
        links = list(dict.fromkeys(link for c in of for link in sides[c]))
        path = sorted({int(k) for c in of for k in cuts.path_dof[cuts.path_start[c] : cuts.path_start[c + 1]]})
        for term, c in zip(each.terms, of, strict=True):
            m = int(cuts.cut_measure[c]) + term.coordinate
            number = -1
            if term.curve is not None:
                number = len(curves)
                curves.append(term.curve)
            terms.append((c, m, term.factor, number))
            term_sides.append([links.index(link) if link > 0 else -1 for link in sides[c]])
            places += [path.index(int(k)) for k in cuts.path_dof[cuts.path_start[c] : cuts.path_start[c + 1]]]
            place_starts.append(len(places))
        starts.append(len(terms))
        sides.append(links)
        paths.append(path)
    width = max([2, *(len(links) for links in sides)])
    pieces = [row for curve in curves for row in curve_rows(curve.curve)]
    first_q = sum(4 if kind >= codes.ATTITUDE else 1 for kind in cuts.measure_kind)
    angular = [codes.ALONG if each.slides else codes.CROSSED for each in coupled]
    nothing = np.zeros(len(coupled), dtype=np.int64)
    return cuts._replace(
        cut_row=np.append(cuts.cut_row, cuts.cut_row[-1] + 1 + np.arange(len(coupled))),
        row_kind=np.append(cuts.row_kind, np.array(angular, dtype=np.int64)),
        row_i=np.append(cuts.row_i, nothing),
        row_j=np.append(cuts.row_j, nothing),
        row_pitch=np.append(cuts.row_pitch, nothing.astype(float)),
        path_start=np.append(
            cuts.path_start, cuts.path_start[-1] + np.cumsum([len(path) for path in paths], dtype=int)
        ),
        path_dof=np.append(cuts.path_dof, np.array([k for path in paths for k in path], dtype=np.int64)),
        path_sign=np.append(cuts.path_sign, np.zeros(sum(len(path) for path in paths))),
        side_link=np.array([links + [-1] * (width - len(links)) for links in sides], dtype=np.int64).reshape(-1, width),
        coupling_term=np.array(starts, dtype=np.int64),
        coupling_law=np.array([each.law for each in coupled], dtype=np.int64),
        coupling_rate=np.array([each.follows_rate for each in coupled], dtype=np.int64),
        coupling_play=np.array([each.play for each in coupled], dtype=float),
        coupling_q=first_q + np.arange(len(coupled), dtype=np.int64),
        term_cut=np.array([term[0] for term in terms], dtype=np.int64),
        term_measure=np.array([term[1] for term in terms], dtype=np.int64),
        term_coordinate=np.array([_coordinate(cuts, tree, c, m) for c, m, _, _ in terms], dtype=np.int64),
        term_factor=np.array([term[2] for term in terms], dtype=float),
        term_curve=np.array([term[3] for term in terms], dtype=np.int64),
        term_side=np.array(term_sides, dtype=np.int64).reshape(-1, 2),
        term_place=np.array(place_starts, dtype=np.int64),
        place_on_path=np.array(places, dtype=np.int64),
        curve_start=np.cumsum([0, *(len(curve.curve.pieces) for curve in curves)]).astype(np.int64),
        piece_from=np.array([row[0] for row in pieces], dtype=float),
        piece_origin=np.array([row[1] for row in pieces], dtype=float),
        piece_power=np.array([row[2] for row in pieces], dtype=float).reshape(-1, MOST),
        curve_period=np.array([curve.period for curve in curves], dtype=float),
    )


def _coordinate(cuts: Cuts, tree: Tree, c: int, m: int) -> int:
    """The dof of a joint of the tree, or the rate of a cut."""
    if cuts.cut_row[c] < cuts.cut_row[c + 1] or cuts.measure_kind[m] == codes.LENGTH:
        return int(tree.dof_link.size + cuts.measure_rate[m])
    return int(cuts.path_dof[cuts.path_start[c] + m - cuts.cut_measure[c]])
