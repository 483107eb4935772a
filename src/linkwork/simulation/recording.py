"""One run of a simulation from its start to `until`: blocks of rows, kept in memory or sent to a file; the tally."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.assembly.laws.law_errors import describe_exception
from linkwork.errors import ModelError, OptionError, RunError
from linkwork.formulations.implicit.hybrid import Hybrid
from linkwork.formulations.samples import RANK, STEPS_CUT, Samples, make_samples
from linkwork.simulation.analysis.choice.stiffness import OperatingPoint, advice, steps_too_large
from linkwork.simulation.many.free_memory import free_memory
from linkwork.simulation.results.columns.column_names import DRIFT, ENERGY, OF_SOLVER
from linkwork.simulation.results.columns.observe import Observer
from linkwork.simulation.results.judging.given_motion import given_bodies
from linkwork.simulation.results.judging.least_energy import least_energy
from linkwork.simulation.results.judging.limits import POOR_BALANCE
from linkwork.simulation.results.judging.part_tally import PartTally
from linkwork.simulation.results.judging.rank_history import RankHistory
from linkwork.simulation.results.judging.run_certificate import Tally, certificate_of
from linkwork.simulation.results.scene.contact_looks import ContactLooks
from linkwork.simulation.results.scene.scene import scene_of
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.sampled.sampled_run import SampledRun, can_sample
from linkwork.simulation.stepping.failures import failure_of
from linkwork.simulation.stepping.interrupt import Interrupt
from linkwork.simulation.stepping.wild import fastest, first_wild

if TYPE_CHECKING:
    from linkwork.simulation.run import Simulation
    from linkwork.simulation.storage.stream import Stream

CHUNK_SECONDS = 0.1  # of computing between two looks at the keyboard
GROWTH = 32.0  # of the steps between two looks, at most
CHUNK_ROWS = 4096
STATE_SECONDS = 2.0  # between two states that are kept


def next_chunk(count: int, took: float) -> int:
    """Steps until the next look at the keyboard, when `count` steps took so many seconds."""
    return max(1, int(count * min(GROWTH, CHUNK_SECONDS / max(took, 1e-6))))


class TooStiff(Exception):
    """Explicit steps that linkwork chose are too large: the run is to begin again; says why, and by which method."""


# what is judged, and not recorded
JUDGED = ("own", "parts", "left", "late", "beyond law", "pressed", "held", "throughput", "placed", "drift relative")


class Recording:
    """One run of a simulation with its columns, accounts and certificate; rows go to `stream` where there is one."""

    def __init__(
        self,
        sim: Simulation,
        steps: int,
        until: float,
        record: str | Sequence[str],
        every: int,
        progress: Callable[[float], None] | None,
        stream: Stream | None = None,
    ) -> None:
        self.sim, self.steps, self.until, self.every, self.progress = sim, steps, until, every, progress
        self.stepper = stepper = sim.stepper
        self.observer = Observer(stepper.began, record, stepper.tables if stepper.moving is stepper.began else None)
        self.observer.given = given_bodies(sim.system, sim.start)
        self.units = self.observer.units()
        self.solver: tuple[str, ...] = OF_SOLVER[sim.method.effort]
        self.stream, self.tally = stream, Tally()
        self.parts = PartTally(stepper.began, sim.method.dt if sim.method.impulses else 0.0)
        self.observer.late = sim.method.impulses
        self.late: float | None = None  # J, of the start: by what energy changed while velocities are behind positions
        self.began: float | None = None  # energy at the start, J
        self.first_cut: float | None = None
        self.jump: list[OperatingPoint] = []  # around the largest change of the energy balance
        self.unwritten = self.spoilt = False  # rows that the stream could not take; a row held what is no number
        self.remembered: dict[str, Any] | None = None
        self._turn, self._next_state, self.largest_jump = 0, 0.0, 0.0  # the last in J
        self.sampled: SampledRun | None = None
        self.contacts: Any = None  # a ContactRecorder
        self.ranks = RankHistory(not sim.method.impulses, lambda: sim.method.moving_rows(sim.tables, sim.workspace))
        self.blocks: dict[str, list[Any]] = {}
        self.contact_looks = ContactLooks(sim, steps if stream is None else 0)  # a stream's head is written first
        if stream is None:
            self.refuse_size()

    def refuse_size(self, runs: int = 1) -> None:
        """Raise where so many runs like this one do not fit into memory."""
        rows = (self.steps - self.sim.steps) // self.every + 1
        need = runs * rows * self.observer.width * 8
        room = free_memory()
        if need > 0.6 * room:
            times = f"{runs} runs with " if runs > 1 else ""
            raise OptionError(
                f"the recording of '{self.sim.system.model.name}' would take {need / 1e9:.3g} GB ({times}{rows:.3g} "
                f"samples of {self.observer.width} numbers) of the {room / 1e9:.3g} GB that are free; keep fewer "
                f"samples with every={max(2, int(need / (0.2 * room)) * self.every)}, or fewer columns with "
                "record='*.position', or write the samples to a file with lw.stream"
            )

    def run(self) -> Trajectory | None:
        """The run; None where its rows are in a file. Raises `RunError` where it cannot reach its end."""
        sim, stepper = self.sim, self.stepper
        if self.stream is not None:
            self.stream.open(self._metadata(), self._block(stepper.present(), 1)[0], sim)
        self._keep(stepper.present(), 1)
        self.contact_looks.look(sim)
        chunk_rows = min(CHUNK_ROWS, max(1, 2_000_000 // max(1, self.observer.width)))
        chunk, buffer = 1, stepper.spare  # a step may take long, and Ctrl-C must not wait for many
        stopped, failure = None, None
        begin, status, whole = clock.perf_counter(), 0, False
        with Interrupt() as interrupt:
            stepper.interrupt, stepper.at_pause = interrupt, lambda: self._stopped_from_outside(interrupt)
            while stepper.steps < self.steps and stopped is None:
                most = min(chunk, self.steps - stepper.steps, chunk_rows * self.every, self.contact_looks.left(sim))
                most = min(most, self.every - stepper.steps % self.every) if self.contacts else most  # row by row
                count = sim.events.quiet(sim.step_warnings.unchecked(stepper, most))
                started = clock.perf_counter()
                try:
                    if count == 0:
                        status = sim.events.step(sim)
                        if status == 0 and (stepper.steps % self.every == 0 or sim.events.stopped is not None):
                            self._keep(stepper.present(), 1)
                        buffer = stepper.spare
                        if status == 0 and sim.events.stopped is None:
                            sim.controls.happen()
                    else:
                        sampled = can_sample(sim)
                        count = sim.events.unplanned(most) if sampled else count
                        room = count // self.every + 2
                        if buffer.t.shape[0] < room:
                            buffer = make_samples(stepper.state, room)
                        count, status = self._advance(count, buffer, sampled)
                    if status == 0:
                        self._remember()
                        self.contact_looks.look(sim)
                except (ModelError, OptionError) as error:
                    stopped = str(error).rstrip(".")
                    break
                except RunError as error:
                    failure, stopped = error, str(error)
                    break
                if status != 0 or sim.events.stopped is not None:
                    break
                self._reconsider()
                chunk = next_chunk(max(count, 1), clock.perf_counter() - started)
                stopped = self._stopped_from_outside(interrupt)
                whole = stopped is not None
        stepper.at_pause = None
        if interrupt.pressed and stopped is None and status == 0:
            stopped, whole = "it was interrupted", True
        if whole:
            with suppress(RunError):  # the state before that one is as good
                self._next_state = 0.0
                self._remember()
        if status != 0:
            stepper.marks = [*stepper.marks, *self.jump]
            self._reconsider(ended=True)
            failure = failure_of(stepper, status)
            stopped = str(failure)
        elif stopped is not None and failure is None:
            stopped = (
                f"the run of '{sim.system.model.name}' stopped at t = {sim.time:.6g} s (step {sim.steps}): {stopped}"
            )
            failure = RunError(stopped, time=sim.time, step=sim.steps, state=sim.state.y.copy())
        run = self._finished(
            clock.perf_counter() - begin, stopped, sound=status == 0 and not (self.unwritten or self.spoilt)
        )
        if failure is not None:
            raise self._told(failure, run, whole)
        return run

    def _advance(self, count: int, buffer: Samples, sampled: bool) -> tuple[int, int]:
        """Take steps and keep their rows; `sampled` calls controllers on the way. Returns steps done and a status."""
        if not sampled:
            done, kept, status = self.stepper.advance(count, self.every, buffer)
            self._keep(buffer, kept, status == 0)
            if status == 0:
                self.sim.controls.happen()
            return done, status
        if self.sampled is None or not self.sampled.fits(buffer):
            self.sampled = SampledRun(self.sim, buffer)
        try:
            done, status = self.sampled.go(count, self.every)
        except BaseException:
            self._keep(buffer, self.sampled.kept)
            raise
        self._keep(buffer, self.sampled.kept, status == 0)
        return done, status

    def _reconsider(self, ended: bool = False) -> None:
        """Raise `TooStiff` where the method was left to linkwork and explicit steps prove too large on the way.

        When it `ended` badly all states that were kept are looked at, before that only the present one.
        """
        stepper, watch = self.stepper, self.sim.step_warnings.watch
        if watch is None or stepper.moving.faults.noted:
            return
        found = steps_too_large(stepper) if ended else watch.look(stepper)
        if found is None:
            return
        after = f"after {stepper.steps} steps by {stepper.method.name} {found.what} was found too stiff"
        raise TooStiff(f"{Hybrid.name}: {after} for explicit steps of {stepper.h:g} s")

    def _told(self, failure: RunError, run: Trajectory | None, whole: bool) -> RunError:
        """The failure with what is left: rows, and a state to go on from, the `whole` one between two steps."""
        from linkwork.simulation.storage.files import check_path, write_arrays
        from linkwork.simulation.structure.snapshot import save_coordinates, save_state

        def save(file: str) -> None:
            if self.remembered is not None:
                write_arrays(check_path(file, (".npz",)), self.remembered)
            elif whole:
                save_state(self.sim, file)
            else:
                save_coordinates(self.sim, failure.state, failure.time, file)

        count, last = self.tally.rows, self.tally.last["time"]
        rows = "its first sample is kept" if count == 1 else f"{count} samples up to t = {last:.6g} s are kept"
        if self.unwritten and self.stream is not None:
            rows += f", and a state to go on from, in {self.stream.path}"
        return RunError(
            f"{str(failure).rstrip('.')}; {rows}.",
            run=run,
            time=failure.time,
            step=failure.step,
            culprit=failure.culprit,
            state=failure.state,
            save_state=None if self.unwritten else save,
        )

    def _stopped_from_outside(self, interrupt: Interrupt) -> str | None:
        """Tell how far the run is; a reason to stop is Ctrl-C, or an exception of the one who was told."""
        try:
            if self.progress is not None:
                self.progress(self.sim.time)
        except KeyboardInterrupt:
            interrupt.pressed = True
        except Exception as error:
            return f"the function given as progress= failed ({describe_exception(error)}); correct it, or leave it out"
        return "it was interrupted" if interrupt.pressed else None

    def _remember(self) -> None:
        """Where components elsewhere keep their states: the whole state now and then, as a lost one leaves none."""
        from linkwork.simulation.structure.snapshot import state_arrays

        remote_links = self.sim.remote_links
        if remote_links is None or self.stream is not None or clock.monotonic() < self._next_state:
            return
        if all(remote.keeps for remote in remote_links.remotes):
            arrays = state_arrays(self.sim, self._turn)
            self.remembered = {name: np.array(values) for name, values in arrays.items()}
        self._turn, self._next_state = 1 - self._turn, clock.monotonic() + STATE_SECONDS

    def _keep(self, samples: Samples, count: int, sound: bool = True) -> None:
        if count == 0:
            return
        if self.observer.system is not self.sim.moving:
            self.observer = self.observer.again(self.sim.moving, self.sim.tables)
            self.parts.judge(least_energy(self.sim.system))
            self.parts.restart(self.sim.moving)
        block, judged = self._block(samples, count)
        # where steps have failed that is told; rows of a law that failed in them are left out
        found = first_wild(block if sound else {n: v for n, v in block.items() if n.startswith("column/")})
        if found is None:
            self._add(samples, count, block, judged, sound)
            return
        good, name = found
        self.spoilt = self.spoilt or sound
        if good:
            block, judged = ({each: values[:good] for each, values in table.items()} for table in (block, judged))
            self._add(samples, good, block, judged, False)
        if sound:
            raise self._wild(samples, good, name)

    def _wild(self, samples: Samples, good: int, name: str) -> RunError:
        """The failure of a run with what is no number in a row, after so many `good` ones, in a column or account."""
        sim = self.sim
        kind, _, entry = name.partition("/")
        if kind == "column":
            culprit, _, quantity = entry.rpartition(".")
            what = f"the {quantity} of '{culprit}' is not finite"
        else:
            culprit = fastest(sim)
            what = f"the numbers of its {kind} ({entry}) are not finite, with '{culprit}' moving fastest"
        return RunError(
            f"the run of '{sim.system.model.name}' stopped at t = {float(samples.t[good, 0]):.6g} s: {what}; give "
            "velocities, forces and masses of a size that a mechanism can have, or take a smaller dt.",
            time=float(samples.t[max(good - 1, 0), 0]),
            step=sim.steps,
            culprit=culprit,
            state=samples.y[good - 1].copy() if good else sim.state.last.copy(),
        )

    def _add(self, samples: Samples, count: int, block: dict[str, Any], judged: dict[str, Any], sound: bool) -> None:
        """Keep rows that are finite."""
        if self.contacts is not None and self.tally.rows:
            self.contacts.note(self.tally.rows + count - 1)
        counted = {name: values for name, values in block.items() if name.startswith(("time", "energy/", "drift/"))}
        if self.stream is not None:
            try:
                self.stream.add(block, self.sim, sound)
            except OptionError:
                self.unwritten = True
                raise
        self._note_jump(samples, block["energy/balance"])
        self._judge_parts(block["time"], judged.pop("parts"))
        self.tally.add(counted | judged | {"quaternion": self.observer.lengths(samples, count)})
        self.ranks.add(self.sim.moving, samples, samples.count[:count, RANK])
        if self.first_cut is None and (cut := np.flatnonzero(samples.solver_stats[:count, STEPS_CUT])).size:
            self.first_cut = float(samples.t[cut[0], 0])
        if self.stream is None:
            for name, values in block.items():
                self.blocks.setdefault(name, []).append(values)

    def _judge_parts(self, time: Any, accounts: Any) -> None:
        """Take in the energies of parts, where the method books them."""
        sim = self.sim
        if sim.method.books_parts:
            self.parts.add(time, accounts, sim.method.met_parts(sim.workspace), least_energy(sim.system))

    def _note_jump(self, samples: Samples, balance: Any) -> None:
        """Keep the states before and after the largest change of the energy balance from one row to the next."""
        changes = np.abs(np.diff(balance, prepend=self.tally.last.get("energy/balance", balance[0])))
        k = int(np.argmax(changes))
        if changes[k] > self.largest_jump:
            self.largest_jump, nq, nv = float(changes[k]), self.sim.moving.nq, self.sim.moving.nv
            self.jump = [
                OperatingPoint(self.sim.moving, self.sim.tables, y[:nq], y[nq : nq + nv], cut_q, float(t[0]))
                for y, cut_q, t in (
                    (samples.y[i].copy(), samples.cut_q[i].copy(), samples.t[i]) for i in range(max(k - 1, 0), k + 1)
                )
            ]

    def _block(self, samples: Samples, count: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Rows: time, columns, ledgers as "energy/total", "drift/position", "solver/…"; what is only judged."""
        columns, accounts = self.observer.look(samples, count)
        accounts["impacts"] = np.full(count, self.sim.impacts)
        accounts["total"] = accounts["kinetic"] + accounts["potential"] + accounts["springs"]
        spent = accounts["dissipated"] + accounts["numerical"] + accounts["impacts"] - accounts["work"]
        if self.began is None:  # accounts of a run that goes on are not empty
            self.began = float(accounts["total"][0] + spent[0])
        accounts["balance"] = accounts["total"] - self.began + spent
        if self.late is None:
            self.late = float(accounts["late"][0])
        accounts["late"] -= self.late
        accounts["left"] = accounts["balance"] - accounts["late"]
        block = {"time": accounts["time"]} | {f"column/{name}": values for name, values in columns.items()}
        block |= {f"drift/{name}": accounts[f"drift {name}"] for name in DRIFT}
        block |= {f"energy/{x}": accounts[x] for x in ENERGY} | {f"solver/{x}": accounts[x] for x in self.solver}
        return block, {name: accounts[name] for name in JUDGED}

    def _metadata(self) -> dict[str, Any]:
        """What a reader must know of the rows."""
        return {
            "model_name": self.sim.system.model.name,
            "columns": list(self.observer.columns),
            "units": self.units,
            "energy": list(ENERGY),
            "drift": list(DRIFT),
            "solver": list(self.solver),
            "scene": scene_of(self.sim.system.model, self.until),
            "every": self.every,
        }

    def _finished(self, seconds: float, stopped: str | None, sound: bool) -> Trajectory | None:
        certificate = certificate_of(self, seconds, stopped, least_energy(self.sim.system))
        if stopped is None and certificate.broken({"energy": POOR_BALANCE}):
            self.stepper.marks = [*self.stepper.marks, *self.jump]
            self._reconsider(ended=True)
            certificate = replace(certificate, advice=advice(self.stepper))
        self.certificate = certificate
        if self.stream is not None:
            self.stream.finish(certificate, self.sim, sound)
            return None
        # pieces go as they are joined: a recording that just fits must not need its size twice
        whole = {name: np.concatenate(self.blocks.pop(name)) for name in list(self.blocks)}
        columns = {name: whole[f"column/{name}"] for name in self.observer.columns}
        return Trajectory(
            whole["time"],
            columns,
            self.units,
            {name: whole[f"energy/{name}"] for name in ENERGY},
            {name: whole[f"drift/{name}"] for name in DRIFT},
            certificate=certificate,
            model_name=self.sim.system.model.name,
            stopped=stopped,
            solver={name: whole[f"solver/{name}"] for name in self.solver},
            scene=self.sim.scenes.of_run(float(whole["time"][-1]), columns) | self.contact_looks.facts(),
            contacts=None if self.contacts is None else self.contacts.log(whole["time"]),
        )
