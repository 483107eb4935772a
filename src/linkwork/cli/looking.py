"""`linkwork view`, `replay` and `film`: looking at a mechanism, and at runs that were saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.app import Host, Port, Reading, Settings, Token, WholeReceipt, app
from linkwork.cli.console import need_websockets, say, speaking
from linkwork.cli.running import options_of, target_of
from linkwork.errors import ModelError, OptionError

if TYPE_CHECKING:
    from linkwork.targets import Target


SAVED = (".npz", ".h5")  # what a run is kept in


@app.command()
def view(
    model: Annotated[
        list[str],
        typer.Argument(metavar="MODEL", help="A gallery name, a file with a model, or saved runs: A.npz B.h5"),
    ],
    method: Annotated[str | None, typer.Option(help="Method, such as recursive. auto chooses one.")] = None,
    dt: Annotated[float | None, typer.Option(help="Step size, s.")] = None,
    setting: Settings = None,
    reading: Reading = None,
    receipt: WholeReceipt = False,
    sliders: Annotated[
        bool | None,
        typer.Option(
            "--sliders/--run",
            help="Begin at rest with a slider for each joint, or running. By default a robot's file begins at rest.",
        ),
    ] = None,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    token: Token = None,
    cert: Annotated[str | None, typer.Option(help="Encrypt the page (HTTPS) with this certificate (PEM).")] = None,
    key: Annotated[str | None, typer.Option(help="Its private key (PEM).")] = None,
    browser: Annotated[bool, typer.Option(help="Open the browser, if there is a display.")] = True,
    seconds: Annotated[
        float | None, typer.Option(help="Stop after this many seconds. By default Ctrl-C stops it.")
    ] = None,
) -> None:
    """Show a mechanism in the browser, in real time, with a control panel; or replay saved runs."""
    need_websockets()
    with speaking(False):
        place: dict[str, Any] = {
            "host": host,
            "port": port,
            "token": token,
            "cert": cert,
            "key": key,
            "browser": browser,
            "seconds": seconds,
            "say": typer.echo,
        }
        saved = [name.lower().endswith(SAVED) for name in model]
        if any(saved):
            from linkwork.simulation.storage.files import load_run
            from linkwork.viewer.live.live import view_run

            if not all(saved):
                raise OptionError(f"saved runs are laid over saved runs only, not over {model[saved.index(False)]}")
            view_run(*(load_run(name) for name in model), **place)
            return
        if len(model) > 1:
            raise OptionError(f"one model is shown at a time, not {len(model)}; save runs to lay them over each other")
        target = target_of(model[0], setting, reading, viewing=True, whole_receipt=receipt)
        place["kinematic"] = target.receipt is not None and not _ours(model[0]) if sliders is None else sliders
        _view_model(target, {"method": method, "dt": dt}, place)


def _ours(name: str) -> bool:
    """Whether a file of this name is one of linkwork's own model files, which are made to run."""
    return name.lower().endswith((".toml", ".json"))


def _view_model(target: Target, given: dict[str, Any], place: dict[str, Any]) -> None:
    import linkwork as lw
    from linkwork.viewer.live.live import view_simulation

    def make(other: str | None, step: float | None) -> Any:
        said = {"method": other or given["method"], "dt": step or given["dt"]}
        options = options_of(target, said | {"ignore": given.get("ignore")})
        options.pop("every", None)
        return lw.Simulation(target.model, **options)

    if place["kinematic"]:
        try:
            make(None, None).close()
        except ModelError as error:  # robots in files often begin outside their limits: they can still be looked at
            say(f"{error}; it is shown without limits, contact and friction.")
            given |= {"method": "recursive", "ignore": ("limits", "contact", "friction")}
    view_simulation(make, plots=target.plots, keys=target.keys, stay=target.stay, until=target.until, **place)


@app.command()
def replay(
    files: Annotated[
        list[str],
        typer.Argument(metavar="RUN... PAGE.html", help="Saved runs (.npz, .h5), then the page to write."),
    ],
    label: Annotated[list[str] | None, typer.Option(help="Name of a run in the legend, one for each run.")] = None,
    title: Annotated[str | None, typer.Option(help="Title of the page. By default the name of the model.")] = None,
) -> None:
    """Write saved runs to one HTML file that plays offline in a browser. Several runs are drawn over each other."""
    with speaking(False):
        from linkwork.simulation.storage.files import check_path, load_run
        from linkwork.viewer.replay.replay import replay as write

        *names, page = files
        if not names or page.lower().endswith(SAVED):
            raise OptionError(f"give the page to write as well: linkwork replay {' '.join(files)} replay.html")
        check_path(page, (".html", ".htm"))
        write([load_run(name) for name in names], page, labels=label, title=title)
        typer.echo(f"written {page}; open it in a browser")


@app.command()
def film(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A saved run (.npz, .h5).")],
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="FILE.gif, FILE.mp4 (needs ffmpeg), FILE.png or FILE_%04d.png.")
    ],
    time: Annotated[float | None, typer.Option(help="Time of the picture, s. By default the end.")] = None,
    speed: Annotated[
        float | None, typer.Option(help="Simulated seconds per second. By default 1, less for a very short run.")
    ] = None,
    fps: Annotated[int, typer.Option(help="Pictures per second.")] = 20,
    width: Annotated[int, typer.Option(help="Width in pixels.")] = 480,
    height: Annotated[
        int | None, typer.Option(help="Height in pixels. By default three quarters of the width.")
    ] = None,
    view: Annotated[
        str | None, typer.Option(help="front, top, side, or azimuth and elevation in degrees, as in -60,20.")
    ] = None,
    renderer: Annotated[
        str | None, typer.Option(help="page (needs Chromium or Chrome) or drawing. By default the first that there is.")
    ] = None,
) -> None:
    """Draw a saved run as an animated picture, a film, or one picture."""
    with speaking(False):
        from linkwork.simulation.storage.files import check_path, load_run
        from linkwork.viewer.pictures.film import SUFFIXES

        check_path(file, SUFFIXES)
        seen: dict[str, Any] = {"view": _view(view), "renderer": renderer}
        load_run(run).film(file, time=time, speed=speed, fps=fps, width=width, height=height, **seen)
        typer.echo(f"written {file}")


def _view(text: str | None) -> str | tuple[float, float] | None:
    """A view of the command line: a name, or two numbers."""
    try:
        azimuth, elevation = (float(word) for word in (text or "").split(","))
    except ValueError:
        return text
    return azimuth, elevation
