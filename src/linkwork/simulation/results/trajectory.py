"""What a run leaves behind: named columns with units, the energy ledger, the drift and the certificate."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike, NDArray

from linkwork.errors import OptionError
from linkwork.model.arguments import helpful
from linkwork.model.checked import VectorLike
from linkwork.simulation.results.columns.columns import NamedColumns
from linkwork.simulation.results.judging.certificate import Certificate
from linkwork.simulation.results.judging.notebook import lines_in_cell
from linkwork.simulation.results.scene.contact_log import ContactLog, PressureMap
from linkwork.simulation.results.scene.scene import Scene
from linkwork.simulation.structure.events import Change

MOST_IN_CELL = 1_000_000  # bytes of a replay that a notebook shows by itself

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linkwork.simulation.analysis.linear.modes import Modes
    from linkwork.simulation.results.peaks import Peaks


@helpful
class Trajectory(NamedColumns):
    """A recorded run. Row k of every column belongs to `time[k]`; nothing in it can be written to.

    `columns` maps full names ("pin.position", "left damper.piston.rotation") to arrays with one row per time, `units`
    maps a full name, or the last word of names, to a unit (see `simulation.results.columns.units`). SI throughout.

    >>> run = Trajectory(
    ...     time=[0.0, 0.5],
    ...     columns={"pin.position": [0.1, 0.2]},
    ...     units={"pin.position": "rad"},
    ...     certificate=Certificate(method="recursive"),
    ...     model_name="pendulum",
    ... )
    >>> float(run["pin.position"][-1]), run.unit("pin.position")
    (0.2, 'rad')
    """

    certificate: Certificate
    stopped: str | None
    """Why the run ended early; None when it reached its end."""

    def __init__(
        self,
        time: ArrayLike,
        columns: Mapping[str, ArrayLike],
        units: Mapping[str, str],
        energy: Mapping[str, ArrayLike] | None = None,
        drift: Mapping[str, ArrayLike] | None = None,
        *,
        certificate: Certificate,
        model_name: str,
        stopped: str | None = None,
        solver: Mapping[str, ArrayLike] | None = None,
        scene: Scene | None = None,
        contacts: ContactLog | None = None,
    ) -> None:
        super().__init__(time, columns, units, energy or {}, drift or {}, solver or {}, model_name, scene)
        self.certificate = certificate
        self.stopped = stopped
        self.contacts = contacts

    @property
    def events(self) -> list[Change]:
        """Joints that were attached, released and jolted, with their impulses and what they cost."""
        return [Change.from_dict(facts) for facts in self.certificate.events]

    def reaction(
        self,
        joint: Any,
        *,
        at: VectorLike | None = None,
        body: Any = None,
        axes: Any = "world",
    ) -> NDArray[Any]:
        """The reaction of a joint (rows, 6) at any point, in any axes: force (N), then torque (N m), on b from a.

        The column "pin.reaction" has it at the joint's point, the origin of the joint's frame on b, where `at=` of the
        joint placed it. For a weld or a slide without `at=` this is the origin of b (of a, if b is a ground).

        `at` is another point, in metres, fixed in `body` and given in its frame. `body` is by default b of the joint;
        "ground" is the world. `axes` are "world", "joint" (those of the joint's frame on b, whose z is the axis) or
        those of a body, by its name. If b moves, its position and rotation must be recorded.

        >>> model = lw.Model("shelf")
        >>> board = model.body("board", mass=2.0, shape=lw.Box((0.4, 0.2, 0.02)), position=(0.2, 0, 1))
        >>> bracket = model.fixed("bracket", model.ground, board)
        >>> run = lw.simulate(model, until=0.01, dt=1e-3, method="recursive")
        >>> run["bracket.reaction"][0].round(3).tolist()  # at the middle of the board
        [0.0, 0.0, 19.62, 0.0, 0.0, 0.0]
        >>> run.reaction("bracket", at=(-0.2, 0, 0))[0].round(3).tolist()  # at the wall
        [0.0, 0.0, 19.62, 0.0, -3.924, 0.0]
        """
        from linkwork.simulation.results.moved_reactions import moved_reaction

        moved: NDArray[Any] = moved_reaction(self, joint, at, body, axes)
        return moved

    def peaks(self, *columns: str) -> Peaks:
        """The largest and smallest value of every column, each with its time: a table to print or to read from.

        Columns of several numbers are taken apart. Without names all columns; names may hold `*`.

        >>> model = lw.Model("fan")
        >>> fan = model.body("fan", shape=lw.Cylinder(0.2, 0.02), mass=0.5)
        >>> shaft = model.revolute("shaft", "ground", fan, at=(0, 0, 0), axis=(0, 0, 1), velocity=2.0)
        >>> run = lw.simulate(model, until=1.0, dt=0.1, method="recursive")
        >>> print(run.peaks("shaft.position", "shaft.velocity"))
        column          unit   smallest  at t  largest  at t
        shaft.position  rad           0     0        2     1
        shaft.velocity  rad/s         2     0        2     0
        """
        from linkwork.simulation.results.peaks import peaks_of

        return peaks_of(self, columns)

    # --- pictures and files -------------------------------------------------------------------------------

    def pressure(self, body: Any) -> PressureMap:
        """Where others press on a body, in its own frame, with normal forces, of a run with `contacts=True`.

        >>> run = lw.simulate(model, until=1.0, contacts=True)  # doctest: +SKIP
        >>> run.pressure("sole").plot(file="sole.png")  # doctest: +SKIP
        """
        if self.contacts is None:
            raise OptionError("the contacts of this run were not kept; give lw.simulate(..., contacts=True)")
        return self.contacts.on(body)

    def plot(
        self,
        *columns: str,
        x: str | None = None,
        polar: bool = False,
        file: str | PathLike[str] | None = None,
        show: bool = False,
        title: str | None = None,
    ) -> Figure:
        """Draw columns over time, one panel per unit. "energy", "drift", "phase" and "iterations" are ready sets.

        Names may hold `*` and name one component: "hand.position.z". `x` is a column to draw over in place of time;
        with `polar=True` it is an angle, and the lines run around a centre. Components of a vector that are zero
        throughout are left out, and the plot says so. With `file=` the picture is written (png, svg or pdf);
        `show=True` opens a window. Needs the extra `plot`. Returns the matplotlib figure.

        >>> run = lw.simulate(lw.gallery.pendulum.build(), until=1.0, method="recursive", dt=0.01)
        >>> run.plot("bob.position.z", x="bob.position.x", file="path.png")  # doctest: +SKIP
        >>> run.plot("pin.velocity", x="pin.position", polar=True, file="around.png")  # doctest: +SKIP
        """
        from linkwork.viewer.pictures.plots import plot

        return plot(self, *columns, x=x, polar=polar, file=file, show=show, title=title)

    def replay(
        self,
        file: str | PathLike[str],
        *others: Trajectory,
        labels: Sequence[str] | None = None,
        title: str | None = None,
        modes: Modes | None = None,
    ) -> None:
        """Write the motion to one `.html` file that plays in any browser, from disk and without a network.

        Other runs are laid over this one, each in its own colour: the same model by another method, for example.
        `labels` name the runs, their methods when not given. With `modes` of the same model, as
        `lw.linearise(model).modes()` gives them, the page has a list of them, and swings in the one that is chosen.

        >>> run = lw.simulate(lw.gallery.pendulum.build(), until=0.1, method="recursive", dt=0.01)
        >>> run.replay("pendulum.html")  # doctest: +SKIP
        """
        from linkwork.viewer.replay.replay import replay

        replay([self, *others], file, labels=labels, title=title, modes=modes)

    def view(self, *others: Trajectory, inline: bool = False, height: int = 520, **place: Any) -> Any:
        """Show the run in a browser with a time bar, until Ctrl-C; prints its address. Needs the extra `view`.

        Other runs are laid over it. `place` is host, port, token, cert, key, seconds as of `Simulation.view`.
        `inline=True` returns the replay page for the cell of a notebook instead, `height` points high, which needs
        nothing and stays in the notebook.

        >>> run = lw.simulate(lw.gallery.pendulum.build(), until=0.1, method="recursive", dt=0.01)
        >>> run.view(inline=True)._repr_html_().startswith("<iframe")
        True
        """
        if inline:
            from linkwork.viewer.replay.replay import Inline, page

            return Inline(page([self, *others]), height)
        from linkwork.viewer.live.live import view_run

        return view_run(self, *others, **{"port": 8080, **place})

    def film(
        self,
        file: str | PathLike[str],
        *,
        time: float | None = None,
        speed: float | None = None,
        fps: int = 20,
        width: int = 480,
        height: int | None = None,
        view: str | tuple[float, float] | None = None,
        renderer: str | None = None,
        progress: bool | None = None,
    ) -> None:
        """Draw the motion to a `.gif`, or a `.mp4` where ffmpeg is installed; to a `.png` at one `time`, s.

        A name such as "car_%04d.png" is a sequence of pictures. `speed` is simulated seconds in a second: 1 when not
        given, and less for a run too short to be watched. `fps` are pictures in a second, `width` and `height` in
        points (the height three quarters of the width when not given).
        `view` is "front", "top", "side", or azimuth and elevation in degrees. The pictures are those of the page where
        Chromium or Chrome is installed (`renderer="page"`), with a clock and a scale bar, else they are drawn plainly
        ("drawing"). `progress` shows a line on stderr, by default in a terminal. Needs pillow, which comes with the
        extra `plot`.

        >>> run = lw.simulate(lw.gallery.pendulum.build(), until=1.0, method="recursive", dt=0.01)
        >>> run.film("pendulum.gif")  # doctest: +SKIP
        >>> run.film("pendulum.mp4", width=1920, height=1080, fps=30, view="front")  # doctest: +SKIP
        """
        from linkwork.viewer.pictures.film import film

        seen: dict[str, Any] = {"width": width, "height": height, "view": view, "renderer": renderer}
        film(self, file, time=time, speed=speed, fps=fps, progress=progress, **seen)

    def save(self, file: str | PathLike[str]) -> None:
        """Write the run to `.npz` or `.h5` (read back by `linkwork.load_run`), or its table to `.csv`."""
        from linkwork.simulation.storage.files import save

        save(self, file)

    def to_csv(self, file: str | PathLike[str], columns: str | Sequence[str] | None = None) -> None:
        """Write a table to `.csv`: the time and the chosen `columns`, everything when none are given.

        `columns` are names or patterns, also of components ("rod.position.z") and of the ledgers ("energy.total").
        The header names every component with its unit, as in "rod.position.z [m]".

        >>> run = lw.simulate(lw.gallery.pendulum.build(), until=0.1, method="recursive", dt=0.01)
        >>> run.to_csv("pendulum.csv", ["pin.position", "bob.position.z", "energy.total"])  # doctest: +SKIP
        """
        from linkwork.simulation.storage.files import save_csv

        save_csv(self, file, columns)

    # --- comparing and printing ---------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Bit for bit the same run, certificate included."""
        if not isinstance(other, Trajectory):
            return NotImplemented
        return (
            self.model_name == other.model_name
            and self.stopped == other.stopped
            and self.units == other.units
            and self.scene == other.scene
            and _text(self.certificate) == _text(other.certificate)
            and _same({"time": self.time}, {"time": other.time})
            and _same(self.columns, other.columns)
            and _same(self.energy, other.energy)
            and _same(self.drift, other.drift)
            and _same(self.solver, other.solver)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        span = f"t = {self.time[0]:g} to {self.time[-1]:g} s" if len(self) else "empty"
        end = "" if self.stopped is None else f", stopped: {self.stopped}"
        broken = self.certificate.broken()
        doubt = f", IN DOUBT: {'; '.join(broken)}" if broken else ""
        return f"<Trajectory {self.model_name!r}: {len(self)} samples, {len(self.columns)} columns, {span}{end}{doubt}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the same, with what is in doubt in colour, and what to try."""
        told, _, doubt = repr(self).partition(", IN DOUBT")
        line = f"{told}>" if doubt else told
        return lines_in_cell([line], self.certificate.doubts()) + self._in_cell()

    def _in_cell(self) -> str:
        """The replay, where there is something to see and the page is there; a notebook keeps it once."""
        from linkwork.viewer.page_bundle import is_made

        if self.scene is None or not len(self) or not is_made():
            return ""
        try:
            shown: str = self.view(inline=True)._repr_html_()
        except OptionError:  # what is not recorded cannot be shown
            return ""
        return shown if len(shown) < MOST_IN_CELL else ""


def _same(a: dict[str, NDArray[Any]], b: dict[str, NDArray[Any]]) -> bool:
    return list(a) == list(b) and all(
        a[k].dtype == b[k].dtype and a[k].shape == b[k].shape and a[k].tobytes() == b[k].tobytes() for k in a
    )


def _text(certificate: Certificate) -> str:
    return json.dumps(certificate.as_dict(), sort_keys=True)
