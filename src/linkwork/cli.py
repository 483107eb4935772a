"""The command line: linkwork gallery | run | compare | view | replay | check | bench | serve.

Exit codes: 0 good, 1 the run or the check failed (the reason on stderr), 2 wrong usage. With `--json` one JSON document
goes to stdout and nothing else. Everything heavy is imported inside the commands, so that `--help` answers at once.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from linkwork._version import __version__
from linkwork.errors import ModelError, OptionError, RunError

if TYPE_CHECKING:
    from linkwork.simulation.trajectory import Trajectory
    from linkwork.targets import Target

app = typer.Typer(
    help="Simulate mechanisms: rigid bodies, joints, closed loops, springs.",
    epilog="Start with: linkwork gallery, then linkwork run pendulum --plot pendulum.png",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

FAILED, USAGE = 1, 2
_QUIET_SECONDS = 1.0  # a progress bar for anything shorter is only a flicker

ModelName = Annotated[
    str, typer.Argument(metavar="MODEL", help="A gallery name, or a Python file with `model` or build().")
]
Host = Annotated[str, typer.Option(help="Address to serve the page on; one that others reach asks them for a token.")]
Port = Annotated[int, typer.Option(help="Port of the page, or the next free one.")]
Token = Annotated[str | None, typer.Option(help="Token of the page; made when another host needs one.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else there.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter of build(), such as links=100. Repeatable."),
]


def main() -> None:
    """Entry point of the command `linkwork`."""
    app()


@app.callback(invoke_without_command=True)
def _front(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        typer.echo(f"linkwork {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def gallery(
    name: Annotated[str | None, typer.Argument(help="A piece to describe; without it all are listed.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the mechanisms that come with linkwork, or describe one."""
    with _speaking(as_json):
        from linkwork import gallery as pieces
        from linkwork.targets import parameters

        chosen = {each: pieces.piece(each) for each in ([name] if name else pieces.names())}
        if as_json:
            facts = [
                {"name": each, "title": piece.TITLE, "paper": piece.PAPER, "parameters": parameters(piece.build)}
                for each, piece in chosen.items()
            ]
            _print_json(facts[0] if name else facts)
        elif name:
            piece = chosen[name]
            typer.echo(f"{typer.style(name, bold=True)}: {piece.TITLE} ({piece.PAPER})\n")
            if piece.__doc__:
                typer.echo(piece.__doc__.strip() + "\n")
            for option, default in parameters(piece.build).items():
                typer.echo(f"  --set {option}={default}")
            typer.echo(f"  linkwork run {name} --plot {name}.png")
        else:
            width = max((len(each) for each in chosen), default=0)
            for each, piece in chosen.items():
                typer.echo(f"{typer.style(each.ljust(width), bold=True)}  {piece.TITLE} ({piece.PAPER})")


@app.command()
def run(
    model: ModelName,
    method: Annotated[str | None, typer.Option(help="Method, such as recursive; auto chooses.")] = None,
    until: Annotated[float | None, typer.Option(help="End of the run, s.")] = None,
    dt: Annotated[float | None, typer.Option(help="Step size, s.")] = None,
    integrator: Annotated[
        str | None, typer.Option(help="semi-implicit, rk2, rk4, abm4 or adaptive (with --rtol, --atol).")
    ] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance of the adaptive integrator.")] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute tolerance of the adaptive integrator.")] = None,
    every: Annotated[int | None, typer.Option(help="Record every so many steps.")] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(help="A feature of the model the method may leave out, such as friction. Repeatable."),
    ] = None,
    setting: Settings = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the run to FILE.npz or .csv; to .h5 while it lasts, for long runs."),
    ] = None,
    resume: Annotated[
        str | None, typer.Option("--from", metavar="FILE", help="Go on from the state in FILE (.h5, .npz).")
    ] = None,
    plot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE.png[=COLUMN,...]",
            help="Draw to a file (png, svg, pdf); choose columns by name or pattern, energy, drift. Repeatable.",
        ),
    ] = None,
    view: Annotated[bool, typer.Option("--view", help="Show the run in the browser afterwards, until Ctrl-C.")] = False,
    ranks: Annotated[
        str | None,
        typer.Option(
            metavar="COMPONENT=RANK,...", help="Components on other MPI ranks; rank 0 is the whole (under mpiexec)."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a model and print a short summary with its certificate."""
    if view:
        _need_viser()
    with _speaking(as_json):
        if view and as_json:
            raise OptionError("--json prints one document and ends, --view goes on until Ctrl-C; give one of them")
        from linkwork.simulation.files import check_path

        pictures = [_picture(text) for text in plot or []]
        if out is not None:
            check_path(out, (".npz", ".csv", ".h5"))
        with _stdout_kept_clean(as_json):
            target = _target(model, setting or [])
            options = _options(
                target,
                {"method": method, "integrator": integrator, "dt": dt, "rtol": rtol, "atol": atol, "every": every},
            )
            if resume is not None:
                # the file knows its method, but for what the command line says
                kept = {"dt": dt, "every": every or target.options.get("every")}
                options = {name: value for name, value in kept.items() if value is not None}
                options |= {"resume": resume} | ({"method": method} if method else {})
            if ignore:
                options["ignore"] = tuple(ignore)
            end = until if until is not None else target.until
            if end is None:
                raise OptionError(f"{model} does not say how long to run; give --until SECONDS")
            _check_columns(target, [column for _, columns in pictures for column in columns])
            if ranks is not None:
                from linkwork.distribute.ranks import spread

                if not spread(target.model, ranks):
                    return
            trajectory, failure = _simulate(target, end, options, out, whole=bool(pictures) or view)
        files, problem = _write(trajectory, target, out, pictures)
        if as_json and trajectory is not None:
            document = _document(target, trajectory, files)
            if failure or problem:
                document["error"] = {"kind": "RunError" if failure else "OptionError", "message": failure or problem}
            _print_json(document)
        elif as_json:
            _print_json({"error": {"kind": "RunError", "message": failure}})
        elif trajectory is not None:
            _print_summary(target, trajectory, files)
    for sentence in (failure, problem):
        if sentence:
            _say(sentence)
    if view and trajectory is not None:
        with _speaking(False):
            trajectory.view(say=typer.echo)
    if failure and ranks is not None:
        from linkwork.distribute.ranks import abandon

        abandon()
    if failure or problem:
        raise typer.Exit(FAILED)


@app.command()
def view(
    model: Annotated[
        list[str],
        typer.Argument(metavar="MODEL", help="A gallery name, a Python file with a model, or saved runs: A.npz B.npz"),
    ],
    method: Annotated[str | None, typer.Option(help="Method, such as recursive; auto chooses.")] = None,
    dt: Annotated[float | None, typer.Option(help="Step size, s.")] = None,
    setting: Settings = None,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    token: Token = None,
    browser: Annotated[bool, typer.Option(help="Open the browser, where there is a screen.")] = True,
    seconds: Annotated[float | None, typer.Option(help="End after so many seconds; else Ctrl-C ends it.")] = None,
) -> None:
    """Show a mechanism moving in the browser, in real time, with a control panel; or replay saved runs."""
    _need_viser()
    with _speaking(False):
        place: dict[str, Any] = {
            "host": host,
            "port": port,
            "token": token,
            "browser": browser,
            "seconds": seconds,
            "say": typer.echo,
        }
        saved = [name.endswith(".npz") for name in model]
        if any(saved):
            from linkwork.simulation.files import load_run
            from linkwork.viewer.live import view_run

            if not all(saved):
                raise OptionError(f"saved runs are laid over saved runs only, not over {model[saved.index(False)]}")
            view_run(*(load_run(name) for name in model), **place)
            return
        if len(model) > 1:
            raise OptionError(f"one model is shown at a time, not {len(model)}; save runs to lay them over each other")
        _view_model(_target(model[0], setting or [], viewing=True), {"method": method, "dt": dt}, place)


def _view_model(target: Target, given: dict[str, Any], place: dict[str, Any]) -> None:
    import linkwork as lw
    from linkwork.viewer.live import view_simulation

    def make(other: str | None, step: float | None) -> Any:
        said = {"method": other or given["method"], "dt": step or given["dt"]}
        options = _options(target, said)
        options.pop("every", None)
        _announce_kernels(options.get("method"))
        return lw.Simulation(target.model, **options)

    view_simulation(make, plots=target.plots, keys=target.keys, stay=target.stay, until=target.until, **place)


def _need_viser() -> None:
    from importlib.util import find_spec

    if find_spec("viser") is None:
        _say('the live page needs viser; install it with: pip install "linkwork[view]"')
        raise typer.Exit(FAILED)


@app.command()
def replay(
    files: Annotated[
        list[str], typer.Argument(metavar="RUN.npz... PAGE.html", help="Runs that were saved, and the page to write.")
    ],
    label: Annotated[list[str] | None, typer.Option(help="Name of a run in the legend, one for each run.")] = None,
    title: Annotated[str | None, typer.Option(help="Title of the page; the name of the model when not given.")] = None,
) -> None:
    """Write saved runs to one HTML file that plays offline in a browser; several are laid over each other."""
    with _speaking(False):
        from linkwork.simulation.files import check_path, load_run
        from linkwork.viewer.replay import replay as write

        *names, page = files
        if not names or page.lower().endswith(".npz"):
            raise OptionError(f"give the page to write as well: linkwork replay {' '.join(files)} replay.html")
        check_path(page, (".html", ".htm"))
        write([load_run(name) for name in names], page, labels=label, title=title)
        typer.echo(f"written {page}; open it in a browser")


@app.command()
def film(
    run: Annotated[str, typer.Argument(metavar="RUN.npz", help="A run that was saved.")],
    file: Annotated[str, typer.Argument(metavar="FILE", help="FILE.gif, FILE.mp4 (by ffmpeg) or FILE.png.")],
    time: Annotated[float | None, typer.Option(help="Time of the picture, s; the end when not given.")] = None,
    speed: Annotated[float, typer.Option(help="Simulated seconds in a second.")] = 1.0,
    fps: Annotated[int, typer.Option(help="Pictures in a second.")] = 20,
    width: Annotated[int, typer.Option(help="Width in points.")] = 480,
) -> None:
    """Draw a saved run as an animated picture, a film, or one picture."""
    with _speaking(False):
        from linkwork.simulation.files import check_path, load_run
        from linkwork.viewer.film import SUFFIXES

        check_path(file, SUFFIXES)
        load_run(run).film(file, time=time, speed=speed, fps=fps, width=width)
        typer.echo(f"written {file}")


@app.command()
def check(model: ModelName, setting: Settings = None, as_json: AsJson = False) -> None:
    """Verify a model before running it: degrees of freedom, loops, redundant rows, cuts, mass."""
    with _speaking(as_json):
        import linkwork as lw

        with _stdout_kept_clean(as_json):
            target = _target(model, setting or [])
            _announce_kernels("recursive")
            report = lw.check(target.model)
        if as_json:
            _print_json({"model": target.model.name, **report.as_dict()})
        else:
            typer.echo("\n".join(report.lines()))


@app.command()
def compare(
    model: ModelName,
    method: Annotated[
        list[str] | None, typer.Option(help="A method to compare; all that support the model without it. Repeatable.")
    ] = None,
    until: Annotated[float | None, typer.Option(help="End of the runs, s.")] = None,
    dt: Annotated[float | None, typer.Option(help="Step size, s; halved twice to learn each method's error.")] = None,
    matched: Annotated[str, typer.Option(help="dt: all take the same step; cost: all cost the same.")] = "dt",
    setting: Settings = None,
    plot: Annotated[str | None, typer.Option(metavar="FILE.png", help="Draw the distances (png, svg, pdf).")] = None,
    as_json: AsJson = False,
) -> None:
    """Run every method on one model and say whether they agree; exit 1 where they do not."""
    with _speaking(as_json):
        import linkwork as lw
        from linkwork.simulation.files import check_path

        if plot is not None:
            check_path(plot, (".png", ".svg", ".pdf"))
        with _stdout_kept_clean(as_json):
            target = _target(model, setting or [])
            end = until if until is not None else target.until
            if end is None:
                raise OptionError(f"{model} does not say how long to run; give --until SECONDS")
            found = lw.compare(
                target.model,
                until=end,
                methods=method or None,
                dt=dt if dt is not None else target.options.get("dt", 1e-3),
                matched=matched,
                progress=_announce_kernels,
            )
            if plot is not None:
                found.plot(plot)
        if as_json:
            _print_json(found.as_dict())
        else:
            typer.echo("\n".join(found.lines()))
            if plot is not None:
                typer.echo(f"plot     {plot}")
    if not found.agree:
        raise typer.Exit(FAILED)


@app.command()
def bench(
    scenes: Annotated[
        list[str] | None, typer.Argument(metavar="[SCENE]...", help="Scenes; all without a name.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions, rougher figures.")] = False,
    page: Annotated[str | None, typer.Option("--page", metavar="FILE", help="Write an HTML page with charts.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure linkwork side by side with the other engines that are installed."""
    with _speaking(as_json):
        from linkwork import bench as benchmarks

        status = benchmarks.run(scenes=scenes or [], as_json=as_json, quick=quick, page=page)
    raise typer.Exit(status)


# --- the run ----------------------------------------------------------------------------------------------


@app.command()
def serve(
    component: Annotated[str, typer.Argument(metavar="FILE.py:Class", help="The subsystem to serve, or PIECE:Class.")],
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one and prints it.")] = 0,
    host: Annotated[str, typer.Option(help="Address to listen on; one that others reach needs TLS.")] = "127.0.0.1",
    cert: Annotated[str | None, typer.Option(help="This side's certificate (PEM).")] = None,
    key: Annotated[str | None, typer.Option(help="Its private key (PEM).")] = None,
    ca: Annotated[str | None, typer.Option(help="The authority that signs both sides (PEM).")] = None,
    timeout: Annotated[float, typer.Option(help="Seconds without an answer after which a whole is given up.")] = 10.0,
    runs: Annotated[int, typer.Option(help="End after so many runs; 0 goes on until Ctrl-C.")] = 0,
    setting: Settings = None,
) -> None:
    """Serve a sealed component to a model elsewhere, which joins it by lw.Remote("HOST:PORT")."""
    with _speaking(False):
        from linkwork.distribute.listen import listen
        from linkwork.distribute.server import describe
        from linkwork.distribute.server import serve as serve_one
        from linkwork.distribute.transport import PeerError
        from linkwork.targets import find_component, parse_settings

        make = find_component(component, parse_settings(setting or []))
        _announce_kernels("component")
        describe(make)  # so that nobody has to wait for the compiler, or for a refusal
        listener = listen(port, host=host, cert=cert, key=key, ca=ca, timeout=timeout)
        typer.echo(f"serving {component} at {listener.address}")
        done = 0
        try:
            while runs == 0 or done < runs:
                if not listener.wait(0.5):
                    continue
                try:
                    transport = listener.accept()
                except PeerError as error:  # that was no run
                    typer.echo(f"refused: {error}", err=True)
                    continue
                try:
                    serve_one(make, transport, name=component.partition(":")[2])
                except PeerError as error:
                    typer.echo(f"the whole was lost: {error}", err=True)
                except RunError as error:  # the whole has been told; the next one may fare better
                    typer.echo(f"a run failed: {error}", err=True)
                done += 1
        except KeyboardInterrupt:
            typer.echo("ended", err=True)
        finally:
            listener.close()


def _target(name: str, settings: list[str], viewing: bool = False) -> Target:
    from linkwork.targets import find, parse_settings

    return find(name, parse_settings(settings), viewing=viewing)


def _options(target: Target, given: dict[str, Any]) -> dict[str, Any]:
    """Options of the piece, with those of the command line over them."""
    said = {name: value for name, value in given.items() if value is not None}
    own = dict(target.options)
    if "method" in said and said["method"] != own.get("method"):
        own = {name: value for name, value in own.items() if name == "dt"}  # the rest belongs to the other method
    return own | said


def _simulate(
    target: Target, until: float, options: dict[str, Any], out: str | None, whole: bool
) -> tuple[Trajectory | None, str | None]:
    """The run, as far as it got, and why it ended early. A long run goes to a file; `whole` reads it back."""
    import linkwork as lw

    _announce_kernels(options.get("method"))
    progress = _Progress(target.name, until) if sys.stderr.isatty() else None
    long = out is not None and out.lower().endswith(".h5")
    failure = None
    trajectory: Trajectory | None = None
    try:
        if long:
            lw.stream(target.model, out, until=until, progress=progress, **options)  # type: ignore[arg-type]
        else:
            trajectory = lw.simulate(target.model, until=until, progress=progress, **options)
    except RunError as error:
        trajectory, failure = error.run, str(error) + _keep_state(error, target, out)
    finally:
        if progress is not None:
            progress.close()
    if long:
        from linkwork.simulation.stream import read_run

        trajectory = read_run(Path(str(out)), last=not whole)
    if failure is None and trajectory is not None and trajectory.stopped is not None:
        failure = f"the run of {target.name} stopped early: {trajectory.stopped}"
    return trajectory, failure


def _keep_state(error: RunError, target: Target, out: str | None) -> str:
    """Write the last good state beside the run; what to say of it."""
    file = str(Path(out).with_suffix(".last.npz")) if out else f"{Path(target.name).stem}.last.npz"
    try:
        error.save_state(file)
    except OptionError:
        return ""
    return f" The last good state is in {file}: go on with --from {file}."


def _announce_kernels(method: Any) -> None:
    from linkwork import _jit
    from linkwork.simulation.methods import ALL

    name = "recursive" if method in (None, "auto") else str(method)
    if name in ALL and _jit.cold(getattr(ALL[name], "loop", name)):
        typer.echo(f"preparing kernels (only before the first run of method {name}) ...", err=True)


class _Progress:
    """A bar on stderr that appears once a run takes longer than a moment. Called with the time reached, s."""

    def __init__(self, name: str, until: float) -> None:
        from time import monotonic

        self._clock = monotonic
        self._start = monotonic()
        self._name, self._until = name, until
        self._bar: Any = None

    def __call__(self, time: float, *_: Any) -> None:
        if self._bar is None:
            if self._clock() - self._start < _QUIET_SECONDS:
                return
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("t = {task.completed:.4g} of {task.total:g} s"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self._name, total=self._until)
        self._bar.update(self._task, completed=time)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()


# --- what comes out ---------------------------------------------------------------------------------------


def _picture(text: str) -> tuple[str, tuple[str, ...]]:
    """FILE.png or FILE.png=column,column; checked before the run, which may be long."""
    from importlib.util import find_spec

    from linkwork.simulation.files import check_path
    from linkwork.viewer.plots import SUFFIXES

    file, _, columns = text.partition("=")
    check_path(file, SUFFIXES)
    if find_spec("matplotlib") is None:
        raise OptionError('--plot needs matplotlib; install it with: pip install "linkwork[plot]"')
    return file, tuple(column.strip() for column in columns.split(",") if column.strip())


def _check_columns(target: Target, columns: list[str]) -> None:
    """Columns to draw that the run will not have are refused before it starts."""
    if not columns:
        return
    import difflib
    import fnmatch

    from linkwork.assembly.assemble import assemble
    from linkwork.simulation.observe import column_shapes
    from linkwork.simulation.trajectory import DRIFT_NAMES, ENERGY_NAMES

    recorded = list(column_shapes(assemble(target.model)))
    ledgers = [f"energy.{name}" for name in ENERGY_NAMES] + [f"drift.{name}" for name in DRIFT_NAMES]
    known = [*recorded, "energy", "drift", "phase", "iterations", *ledgers]
    for column in columns:
        if column not in known and not fnmatch.filter(recorded, column):
            close = difflib.get_close_matches(column, known, n=3, cutoff=0.5)
            listed = ", ".join(recorded[:6]) + (" and more" if len(recorded) > 6 else "")
            remedy = "did you mean " + " or ".join(close) + "?" if close else f"it has energy, drift, {listed}"
            raise OptionError(f"{target.name} has no column {column!r} to plot; {remedy}")


def _write(
    trajectory: Trajectory | None, target: Target, out: str | None, pictures: list[tuple[str, tuple[str, ...]]]
) -> tuple[list[str], str | None]:
    """Files that were written, and what went wrong with the first that was not."""
    files: list[str] = []
    if trajectory is None:
        return files, None
    try:
        if out is not None:
            if not out.lower().endswith(".h5"):  # that one is there already
                trajectory.save(out)
            files.append(out)
        for file, columns in pictures:
            trajectory.plot(*(columns or target.plots), file=file)
            files.append(file)
    except OptionError as error:
        return files, str(error)
    return files, None


def _print_summary(target: Target, trajectory: Trajectory, files: list[str]) -> None:
    made = trajectory.certificate
    head = f"{target.name}: {target.title}" if target.title else target.name
    typer.echo(typer.style(head, bold=True) + (f" ({target.paper})" if target.paper else ""))
    facts = []
    if made.degrees_of_freedom is not None:
        facts.append(_count(made.degrees_of_freedom, "degree of freedom", "degrees of freedom"))
    if made.loops is not None:
        facts.append(_count(made.loops, "loop", "loops"))
    rows = "rows" if any(file.lower().endswith(".h5") for file in files) else f"{len(trajectory)} rows"
    facts.append(f"{rows} of {len(trajectory.names)} columns recorded")
    _print_fact("model", ", ".join(facts))
    if made.reason:
        _print_fact("chosen", made.reason)
    typer.echo("certificate")
    for line in made.lines():
        word, _, fact = line.partition(" ")
        _print_fact("  " + word, fact.lstrip())
    if files:
        _print_fact("written", ", ".join(files))


def _print_fact(word: str, fact: str) -> None:
    typer.echo(typer.style(word.ljust(10), fg=typer.colors.CYAN) + fact)


def _document(target: Target, trajectory: Trajectory, files: list[str]) -> dict[str, Any]:
    """What --json prints of a run: the certificate and the last row of every column."""
    last = {name: trajectory[name][-1].tolist() for name in trajectory.names} if len(trajectory) else {}
    return {
        "model": trajectory.model_name,
        "title": target.title,
        "paper": target.paper,
        "time": float(trajectory.time[-1]) if len(trajectory) else None,
        "rows": len(trajectory),
        "stopped": trajectory.stopped,
        "certificate": trajectory.certificate.as_dict(),
        "final": last,
        "energy": {name: float(values[-1]) for name, values in trajectory.energy.items() if len(values)},
        "units": {name: trajectory.unit(name) for name in trajectory.names},
        "files": files,
    }


def _print_json(document: Any) -> None:
    import json

    typer.echo(json.dumps(_finite(document), indent=2, allow_nan=False))


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinity: they become null."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return value


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


# --- speaking of what went wrong --------------------------------------------------------------------------


@contextlib.contextmanager
def _speaking(as_json: bool) -> Iterator[None]:
    """Turn what a user can do something about into one paragraph on stderr and an exit code."""
    try:
        yield
    except OptionError as error:
        _fail(error, as_json, USAGE)
    except (ModelError, RunError) as error:
        _fail(error, as_json, FAILED)
    except KeyboardInterrupt:
        _fail(RunError("interrupted"), as_json, FAILED)
    except (typer.Exit, typer.Abort, BrokenPipeError):
        raise
    except Exception as error:
        if os.environ.get("LINKWORK_TRACEBACK"):
            raise
        from linkwork.distribute.transport import PeerError

        if isinstance(error, PeerError):
            _fail(error, as_json, FAILED)
        sentence = f"{type(error).__name__}: {error}. This looks like a mistake in linkwork itself"
        _fail(RunError(f"{sentence}; LINKWORK_TRACEBACK=1 shows where it happened."), as_json, FAILED)


def _fail(error: Exception, as_json: bool, code: int) -> NoReturn:
    message = " ".join(str(error).split())
    if as_json:
        _print_json({"error": {"kind": type(error).__name__, "message": message}})
    _say(message)
    raise typer.Exit(code)


def _say(sentence: str) -> None:
    typer.echo(f"linkwork: {' '.join(sentence.split())}", err=True)


@contextlib.contextmanager
def _stdout_kept_clean(as_json: bool) -> Iterator[None]:
    """What a user's own file prints must not stand in front of the JSON document."""
    if not as_json:
        yield
        return
    kept = os.dup(1)
    try:
        os.dup2(2, 1)  # what programs that it starts, or libraries in C, print too
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        if sys.__stdout__ is not None:
            sys.__stdout__.flush()
        os.dup2(kept, 1)
        os.close(kept)


if __name__ == "__main__":
    main()
