"""What a run can vouch for: how it was made, how far it drifted, whether its energy adds up."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from linkwork.simulation.results.columns.plain import plain, shortened
from linkwork.simulation.results.judging.limits import BOUNDS, REMEDIES, WORDS
from linkwork.simulation.results.judging.notebook import lines_in_cell


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """The facts about one run, filled by the run itself. Seconds, joules; drift in metres and radians together.

    >>> c = Certificate(method="recursive", integrator="rk4", dt=0.01, until=1.0, reached=1.0, steps=100)
    >>> c.complete
    True
    >>> len(c.lines())
    5
    """

    method: str
    integrator: str = ""
    dt: float = 0.0
    until: float = 0.0
    reached: float = 0.0
    """Time of the last recorded row, s."""
    steps: int = 0
    evaluations: int = 0
    refused_steps: int = 0
    """Steps, or parts of one, that were taken back and tried again smaller."""
    worst_iterations: int = 0
    """Most iterations of one step, where the method iterates; the mean is evaluations / steps."""
    wall_seconds: float = 0.0
    sweeps: int = 0
    """Of methods with impulses: sweeps over the rows in all steps together."""
    worst_residual: float = 0.0
    """What the iterations of a step left at most: displacements that further ones would change, in rad or lengths of
    the model, judged by how fast they fell; with impulses the change by the last one, as a part of m g dt."""
    cut_short: int = 0
    """Steps whose sweeps ended with their number and not by epsilon."""
    first_cut: float | None = None
    """Time of the first recorded row by which that had happened, s."""
    unsettled: float | None = None
    """What the last sweeps of steps cut short still changed, as a part of the largest impulse of the bodies concerned;
    the mean over all steps. None where no step was cut short, or where nobody looked."""
    apart_loss: float = 0.0
    """Energy that contacts took from bodies that then did not touch, J: contacts that never were."""
    rolling_loss: float = 0.0
    """Energy that contacts took from bodies that rolled or rested on each other, which truly costs nothing, J.
    Soft contacts are left out."""
    seam_loss: float = 0.0
    """Energy that contacts took from bodies that were stopped by a side no higher than overlaps are, J: a seam."""
    overlap: float = 0.0
    """Deepest overlap of two bodies in the last step, m; soft contacts, which overlap as they should, are left out."""
    worst_overlap: float = 0.0
    """Deepest overlap in any step, m."""
    pressed: float = 0.0
    """Where rigid motors drive: the largest force of contacts on a body times dt, as a part of the impulse that would
    stop all that moves, and carry its weight for a step."""
    sunk: float = 0.0
    """Deepest overlap of a soft contact, as a part of half the mean thickness of the two; at 2 their middles meet."""
    worst_drift_position: float = 0.0
    worst_drift_velocity: float = 0.0
    final_drift_position: float = 0.0
    final_drift_velocity: float = 0.0
    size: float = 0.0
    """Length of the largest moving body, m: what openings of joints are compared with; 0 where it is not known."""
    drift_relative: float = 0.0
    """Worst drift on position level with lengths as parts of `size`; angles are as they are."""
    energy_balance_worst: float = 0.0
    """Largest |energy now - energy at the start - work done + energy dissipated|, J."""
    energy_offset: float = 0.0
    """What the balance was off by while things fell, J, at most: with semi-implicit steps velocities are half a step
    behind positions, so the power of gravity times dt / 2. It is gone when they lie still. 0 for other methods."""
    energy_left: float | None = None
    """Worst balance with the energies of half a step before, J, where velocities are: this one is judged. Where laws
    act it is less by `energy_offset`, since what they feed in is settled a step later. None where velocities belong to
    the positions."""
    energy_scale: float = 0.0
    """Largest energy that moved about during the run, J: what the balance is to be compared with."""
    energy_least: float = 0.0
    """Energies below this are nothing, J: of a creep, of what contacts overlap by, of rounding in what is stored and in
    what reactions hold; a thousandth of the work that motors put in and take out."""
    energy_part: float = 0.0
    """Worst balance of a part that no force or joint connects to others, as a part of what moved in it."""
    energy_part_bodies: list[str] = field(default_factory=list)
    """Bodies of that part; none where the model is one part."""
    part_losses: dict[str, float] = field(default_factory=dict)
    """Worst "apart", "rolling" and "seam" loss of such a part, as a part of what moved in it."""
    energy_gained: float = 0.0
    """What friction, stops, contacts and dampers gave in all instead of taking, at worst, J; 0 where all is well."""
    springs_apart: float = 0.0
    """By how much springs held more at most, at the recorded places, than where their rule keeps energies, J. Of
    methods with impulses: a quarter of h^2 k / m of the energy of a spring, which then swings in too few steps."""
    energy_numerical: float = 0.0
    """Largest energy that soft contacts and stops took or gave beyond their law, J, more than they held then."""
    rank_min: int = 0
    rank_max: int = 0
    rank_history: list[dict[str, Any]] = field(default_factory=list)
    """The rank of the loops at the start and where it changed: time (s), rank, and which rows were redundant then. The
    first changes only. Methods that ask for no rank have that of the geometry, at the start and at the end."""
    rank_changes: int = 0
    """How often the rank changed from one recorded row to the next."""
    redundant_rows: list[str] = field(default_factory=list)
    """Rows of the loops that others imply, at the start."""
    worst_quaternion: float | None = None
    """How far a quaternion of a joint was from unit length; None where no joint has one."""
    events: list[dict[str, Any]] = field(default_factory=list)
    """Joints attached, released and jolted during the run; `Trajectory.events` reads them."""
    start: list[str] = field(default_factory=list)
    """Start values that were taken from motors, in words."""
    notes: list[str] = field(default_factory=list)
    """What else is worth knowing, a sentence each: of `lw.required_forces` how exact it is and what is not unique; of
    FMUs how they were stepped and how much held values jump."""
    coupling: dict[str, float] = field(default_factory=dict)
    """Of each FMU the largest jump at its instants of a value that was held, as a part of the range of that value."""
    ignored: list[str] = field(default_factory=list)
    stopped: str | None = None
    reason: str = ""
    """Why this method was chosen, where it was left to linkwork."""
    advice: str = ""
    """What the steps were too large for, and which should do; filled where energy came from nowhere."""
    degrees_of_freedom: int | None = None
    loops: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    """Options of the method. Where a penalty was chosen from the model, "penalties" are the least and the largest of
    the last step."""
    versions: dict[str, str] = field(default_factory=dict)
    model_hash: str = ""
    parts_hash: str = ""

    @property
    def complete(self) -> bool:
        """True when the run reached its end."""
        return self.stopped is None

    @property
    def energy_balance_relative(self) -> float:
        """Worst energy balance as a part of the energy scale; the plain joules where nothing moved."""
        return self._part(self.energy_balance_worst)

    def _part(self, energy: float) -> float:
        """Of what moved, where that is something."""
        scale = max(self.energy_scale, self.energy_least)
        if not math.isfinite(scale):
            return math.inf  # of what cannot be told nothing is a small part
        return energy / scale if scale > 0 else energy

    @property
    def real_time_factor(self) -> float:
        """Simulated seconds per second of computing; 0 where the run took no measurable time."""
        return self.reached / self.wall_seconds if self.wall_seconds > 0 else 0.0

    @property
    def sweeps_per_step(self) -> float:
        """Mean number of sweeps over the rows in a step; 0 for methods without impulses."""
        return self.sweeps / self.steps if self.steps else 0.0

    def broken(self, bounds: dict[str, float] | None = None) -> list[str]:
        """What of the run is beyond `bounds`, in words; empty where all is well. Without them a few plain ones hold.

        "energy" bounds the worst balance as a part of the energy that moved, "part" that of a part of the model which
        no force or joint connects to others, "gain" what friction, stops and contacts
        gave instead of taking, as such a part, "drift" how far joints open, as a part of the size of the model,
        "quaternion" how far quaternions leave unit length, "unsettled" the part of all impulses that steps with
        sweeps cut short left unsettled, "cut" the number of these steps; "apart" and "rolling" what contacts took from
        bodies that did not touch, or that only rolled or rested, and "seam" what they took at sides that are level with
        what a body slides on, as parts of the energy that moved, "overlap" how deep bodies overlap in the end, as a
        part of the size of the model, "numerical" what soft contacts and stops took beyond their law, as a part of the
        energy that moved, "sunk" how deep soft contacts were, as a part of half the mean thickness of the two,
        "pressed" what contacts press with where rigid motors drive, as a part of the impulse that would stop all that
        moves.

        >>> Certificate(method="recursive", drift_relative=0.05).broken({"drift": 1e-3})
        ['the loops drift by 0.05 of the size of the model, more than 0.001']
        """
        limits = BOUNDS if bounds is None else bounds
        return [f"{words}, more than {limits[name]:g}" for name, words in self._beyond(limits).items()]

    def doubts(self) -> list[str]:
        """Every reason not to trust the numbers of the run, each with what to try; empty where there is none.

        One sentence each: why it stopped, and what is beyond the plain bounds of `broken` or not a number at all.
        `lines` says POOR where one of them is about energy or drift.

        >>> Certificate(method="recursive").doubts()
        []
        >>> Certificate(method="recursive", drift_relative=5.7).doubts()
        ['the loops drift by 5.7 of the size of the model; take a smaller dt, or compare with another method']
        """
        told = [] if self.stopped is None else [self.stopped]
        return told + [f"{words}; {self._remedy(name)}" for name, words in self._beyond(BOUNDS).items()]

    def _beyond(self, bounds: dict[str, float]) -> dict[str, str]:
        """What is beyond the bounds, by the name of the bound; a number that is not finite is beyond any."""
        left = ", {:.2g} of all impulses unsettled" if self.unsettled is not None else ""
        known = {
            "energy": self._part(self._judged()),
            "part": self.energy_part,
            "gain": self._part(self.energy_gained),
            "drift": self.drift_relative,
            "quaternion": self.worst_quaternion or 0.0,
            "unsettled": self._unsettled(),
            "apart": self._lost("apart", self.apart_loss),
            "rolling": self._lost("rolling", self.rolling_loss),
            "seam": self._lost("seam", self.seam_loss),
            "overlap": self.overlap / self.size if self.size > 0.0 else 0.0,
            "numerical": self._part(self.energy_numerical),
            "springs": self._part(self.springs_apart),
            "sunk": self.sunk,
            "pressed": self.pressed,
            "cut": float(self.cut_short),
        }
        said = {**WORDS, "unsettled": f"{self.cut_short} steps were cut short by their number of sweeps{left}"}
        beyond = {name: (known[name], said[name]) for name in bounds if not known[name] <= bounds[name]}
        told = {name: words.format(value) for name, (value, words) in beyond.items()}
        return told | ({"part": told["part"].replace("one part", self._of_part())} if "part" in told else {})

    def _judged(self) -> float:
        """The worst balance where velocities belong to positions; it stays what it is where it is no number."""
        return self.energy_balance_worst if self.energy_left is None else self.energy_left

    def _lost(self, name: str, energy: float) -> float:
        """What contacts took that they should not, of what moved in all, or in the part where that is worst."""
        return max(self._part(energy), self.part_losses.get(name, 0.0))

    def _of_part(self) -> str:
        """The worst part in words."""
        return f"the part with {shortened([repr(name) for name in self.energy_part_bodies], 3)}"

    def _unsettled(self) -> float:
        """What cut steps left, as a part; all of it where nobody looked."""
        if self.unsettled is None:
            return math.inf if self.cut_short else 0.0
        return self.unsettled

    def _remedy(self, name: str) -> str:
        """What to try against that doubt."""
        if name == "drift" and self.settings.get("stabilize") is False:
            return "let it be stabilised with stabilize=True, or take a smaller dt"
        if name == "drift" and self.settings.get("stabilization", "") is None:
            return "choose a stabilization=, or take a smaller dt"
        if name == "drift" and self.settings.get("penalty"):
            return "take a smaller dt, a larger penalty= or none, or compare with another method"
        if name in REMEDIES:
            return REMEDIES[name]
        if name == "energy" and self.advice:
            return self.advice
        return "take a smaller dt, or compare with another method"

    def lines(self) -> list[str]:
        """Five lines to read, one more for methods with impulses, for what motors gave the start, events and each note.

        >>> print(Certificate(method="recursive", integrator="rk4", rank_min=5, rank_max=5).lines()[3])
        loops    rank 5 throughout; no redundant rows
        """
        events = [self._line_events()] if self.events else []
        impulses = [self._line_impulses()] if self.sweeps else []
        made = [self._line_method(), self._line_energy(), self._line_drift(), self._line_loops()]
        start = [f"start    {shortened(self.start, 3)}"] if self.start else []
        notes = [f"note     {note}" for note in self.notes]
        return [*made, *impulses, *start, *events, *notes, self._line_origin()]

    def as_dict(self) -> dict[str, Any]:
        """Plain dictionary of numbers, texts, lists and dictionaries, ready for JSON."""
        return {name: plain(value) for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> Certificate:
        """The way back from `as_dict`; entries this version does not know are left out.

        >>> c = Certificate(method="recursive")
        >>> Certificate.from_dict(c.as_dict()) == c
        True
        """
        blank = cls(method="")
        known = {f.name: getattr(blank, f.name) for f in fields(cls)}
        for name in known.keys() & facts.keys():
            like = (int, float) if isinstance(known[name], (int, float)) else type(known[name])
            kinds = (int, float, str, type(None)) if known[name] is None else like
            if not isinstance(facts[name], kinds):
                raise TypeError(f"{name} of a certificate cannot be {facts[name]!r}")
        return cls(**{name: value for name, value in facts.items() if name in known})

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<Certificate of a run by {self.method}: {'IN DOUBT' if self.doubts() else 'good'}; print it>"

    def _repr_html_(self) -> str:
        return lines_in_cell(self.lines(), self.doubts())

    def _line_method(self) -> str:
        pieces = [self.method, self.integrator, f"dt {self.dt:g} s" if self.dt else ""]
        words = ", ".join(piece for piece in pieces if piece)
        speed = f" ({self.real_time_factor:.3g} x real time)" if self.real_time_factor else ""
        return (
            f"method   {words}; {self.steps} steps, {self.evaluations} evaluations{self._iterations()}"
            f" to t = {self.reached:g} s in {self.wall_seconds:.3g} s{speed}"
        )

    def _iterations(self) -> str:
        """How hard the iterations were; nothing where there are none."""
        refused = f", {self.refused_steps} refused and halved" if self.refused_steps else ""
        if not self.worst_iterations:
            return refused
        return f" ({self.worst_iterations} at most in a step, left {self.worst_residual:.0e}){refused}"

    def _line_energy(self) -> str:
        if self.energy_scale > 0:
            part = f", {self.energy_balance_relative:.1e} of the {self.energy_scale:.3g} J that moved"
        else:
            part = ""
        beyond = self._beyond(BOUNDS)
        if "gain" in beyond:
            part += f"; friction, stops or contacts GAVE {self.energy_gained:.2g} J"
        if "part" in beyond:
            part += f"; {self.energy_part:.2g} of what moved in {self._of_part()}"
        poor = self._poor("energy") if beyond.keys() & {"energy", "part", "gain"} else ""
        return f"energy   balance within {self.energy_balance_worst:.1e} J{part}{poor}"

    def _poor(self, name: str) -> str:
        return f" - POOR: {self._remedy(name)}"

    def _line_drift(self) -> str:
        unit = "" if self.worst_quaternion is None else f"; quaternions within {self.worst_quaternion:.0e}"
        beyond = self._beyond(BOUNDS)
        part = f"; {self.drift_relative:.2g} of the size {self.size:.3g} m" if "drift" in beyond else ""
        name = next((name for name in ("drift", "quaternion") if name in beyond), None)
        return (
            f"drift    position {self.worst_drift_position:.1e} at worst, {self.final_drift_position:.1e} at the end;"
            f" velocity {self.worst_drift_velocity:.1e}, {self.final_drift_velocity:.1e}{unit}{part}"
            f"{self._poor(name) if name else ''}"
        )

    def _line_loops(self) -> str:
        if self.rank_min == self.rank_max:
            rank = f"rank {self.rank_max} throughout" if self.rank_max or self.loops else "no loop to close"
            if self.loops and self.settings.get("penalty"):
                rank = f"rank {self.rank_max} at start and end, closed by the penalty {self.settings['penalty']:g}"
            elif self.loops and self.settings.get("penalties"):
                least, most = self.settings["penalties"]
                chosen = f"chosen: {least:.1g} to {most:.1g}"
                rank = f"rank {self.rank_max} at start and end, closed by the penalty, {chosen}"
        else:
            rank = f"rank {self.rank_min} to {self.rank_max}{self._changes()}"
        if self.redundant_rows:
            rows = f"{len(self.redundant_rows)} redundant rows: {shortened(self.redundant_rows)}"
        else:
            rows = "no redundant rows"
        return f"loops    {rank}; {rows}"

    def _changes(self) -> str:
        """When the rank changed."""
        if len(self.rank_history) < 2:
            return ""
        times = [f"{entry['time']:.4g}" for entry in self.rank_history[1:]]
        often = "once" if self.rank_changes == 1 else f"{self.rank_changes} times"
        return f", changed {often}, at t = {shortened(times, 3)} s"

    def _line_events(self) -> str:
        told = [f"{event['joint']} {event['what']} at {event['time']:.6g} s" for event in self.events]
        lost = sum(event["energy"] for event in self.events if event["what"] != "jolted")
        return f"events   {shortened(told)}; {lost:.3g} J lost in impacts"

    def _line_impulses(self) -> str:
        told = f"impulses {self.sweeps_per_step:.3g} sweeps a step, residual {self.worst_residual:.1e} at worst"
        if not self.cut_short:
            return told
        since = "" if self.first_cut is None else f", first by t = {self.first_cut:.4g} s"
        left = "" if self.unsettled is None else f", {self.unsettled:.1e} of all impulses unsettled"
        if "unsettled" in self._beyond(BOUNDS):
            return f"{told}; {self.cut_short} STEPS CUT SHORT{since}{left}: {self._remedy('unsettled')}"
        return f"{told}; {self.cut_short} steps cut short{since}{left}"

    def _line_origin(self) -> str:
        end = "complete" if self.stopped is None else f"STOPPED, {self.stopped}"
        ignored = "ignored on request: " + ", ".join(self.ignored) if self.ignored else "nothing ignored"
        made = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        model = f"model {self.model_hash[:12]}" if self.model_hash else ""
        return "run      " + "; ".join(piece for piece in (end, ignored, made, model) if piece)
