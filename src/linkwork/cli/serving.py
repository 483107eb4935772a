"""`linkwork serve`: a component for a model in another process."""

from __future__ import annotations

import gc
import sys
from typing import Annotated, Any

import typer

from linkwork.cli.app import Settings, app
from linkwork.cli.console import speaking

SWITCH = 2e-4  # s; so soon one caller's thread gives way to another's


@app.command()
def serve(
    component: Annotated[
        str,
        typer.Argument(
            metavar="FILE.py:Class",
            help="The subsystem to serve: PIECE:Class takes it from the gallery, FILE.fmu from an FMU.",
        ),
    ],
    port: Annotated[int, typer.Option(help="Port to listen on. 0 takes a free one and prints it.")] = 0,
    host: Annotated[
        str, typer.Option(help="Address to listen on. If other machines can reach it, TLS is required.")
    ] = "127.0.0.1",
    cert: Annotated[str | None, typer.Option(help="This side's certificate (PEM).")] = None,
    key: Annotated[str | None, typer.Option(help="Its private key (PEM).")] = None,
    ca: Annotated[str | None, typer.Option(help="The authority that signs both sides (PEM).")] = None,
    timeout: Annotated[
        float, typer.Option(help="Seconds without an answer after which a connection is closed.")
    ] = 10.0,
    keep: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Save states in FOLDER when the run saves its own, to resume it later."),
    ] = None,
    places: Annotated[
        int, typer.Option(min=1, help="Number of runs served at once, each with its own component.")
    ] = 64,
    idle: Annotated[float, typer.Option(help="Seconds without a request after which a connection is closed.")] = 3600.0,
    runs: Annotated[int, typer.Option(help="Stop after this many runs. 0 serves until Ctrl-C.")] = 0,
    setting: Settings = None,
) -> None:
    """Serve a component to a model in another process, which connects with lw.Remote("HOST:PORT")."""
    with speaking(False):
        from linkwork.distribute.callers import Callers
        from linkwork.distribute.kept_states import Keep
        from linkwork.distribute.listen import listen
        from linkwork.distribute.server import Session, describe
        from linkwork.distribute.transport import checked_timeout
        from linkwork.targets import find_component, parse_settings

        idle = checked_timeout(idle, "idle")
        states = None if keep is None else Keep(keep)
        name, described, settings = component.partition(":")[2], None, parse_settings(setting or [])
        make: Any
        if component.endswith(".fmu"):
            import linkwork as lw

            if settings or states is not None:
                raise lw.OptionError(f"{component} is an FMU, without settings and folder; leave --set and --keep out")
            make = lw.FMU(component).served()
        else:
            make = find_component(component, settings)
            described = describe(make, name)  # so that nobody has to wait for the compiler, or for a refusal
        listener = listen(port, host=host, cert=cert, key=key, ca=ca, timeout=timeout)
        typer.echo(f"serving {component} at {listener.address}")
        sys.setswitchinterval(SWITCH)
        gc.freeze()  # what is here stays; to search it for garbage again and again would stop all callers for 0.1 s
        callers = Callers(
            listener,
            lambda transport: Session(make, transport, name=name, keep=states, idle=idle, described=described),
            say=lambda text: typer.echo(text, err=True),
            places=places,
        )
        try:
            callers.run(runs)
        except KeyboardInterrupt:
            typer.echo("ended", err=True)
        finally:
            listener.close()
            callers.close()
