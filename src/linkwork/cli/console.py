"""Errors as one paragraph on stderr with an exit code; on stdout nothing but the JSON document, if asked for."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from typing import Any, NoReturn

import typer

from linkwork.errors import ModelError, ModelWarning, OptionError, RunError, RunWarning

FAILED, USAGE = 1, 2


@contextlib.contextmanager
def speaking(as_json: bool) -> Iterator[list[str]]:
    """Turn errors that a user can mend into one paragraph on stderr and an exit code. Collect our warnings."""
    warned: list[str] = []
    try:
        with warnings.catch_warnings():
            _warn_in_words(warned)
            yield warned
    except OptionError as error:
        fail(error, as_json, USAGE)
    except (ModelError, RunError) as error:
        fail(error, as_json, FAILED)
    except KeyboardInterrupt:
        fail(RunError("interrupted"), as_json, FAILED)
    except (typer.Exit, typer.Abort, BrokenPipeError):
        raise
    except Exception as error:
        if os.environ.get("LINKWORK_TRACEBACK") or output_is_full(error):
            raise
        from linkwork.distribute.transport import PeerError

        if isinstance(error, PeerError):
            fail(error, as_json, FAILED)
        sentence = f"{type(error).__name__}: {error}. This looks like a mistake in linkwork itself"
        fail(RunError(f"{sentence}; LINKWORK_TRACEBACK=1 shows where it happened."), as_json, FAILED)


def fail(error: Exception, as_json: bool, code: int) -> NoReturn:
    message = " ".join(str(error).split())
    if as_json:
        print_json({"error": {"kind": type(error).__name__, "message": message}})
    say(message)
    raise typer.Exit(code)


def output_is_full(error: Exception) -> bool:
    """Whether the output could not be written because the disk is full. Files have a message of their own."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO)


def leave_full_output() -> NoReturn:
    """Exit with a message. Pending output is dropped; otherwise Python would try to write it again and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    say("cannot print: the disk that the output goes to is full; free some space or send it elsewhere")
    sys.exit(FAILED)


def end_well() -> None:
    """From now on SIGTERM (a batch queue's limit) and SIGHUP (a closed terminal) end a command as Ctrl-C does.

    What was recorded is kept. Who has them ignored, as by nohup, keeps them so.
    """
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)


_ended: list[int] = []


def _end(number: int, frame: Any) -> None:
    """The first signal ends the command; a closed terminal sends several."""
    if signal.Signals(number).name == "SIGHUP":
        for output in (1, 2):  # what is printed would raise
            if os.isatty(output):
                os.dup2(os.open(os.devnull, os.O_WRONLY), output)
    if _ended:
        return
    _ended.append(number)
    from linkwork.simulation.stepping.interrupt import Interrupt

    if Interrupt.present is None:
        raise KeyboardInterrupt
    Interrupt.present.pressed = True


def say(sentence: str) -> None:
    typer.echo(f"linkwork: {' '.join(sentence.split())}", err=True)


def _warn_in_words(warned: list[str]) -> None:
    """Print each of our warnings as one coloured paragraph on stderr, without the place in the code, and list it."""
    other = warnings.showwarning

    def show(message: Any, category: type[Warning], *place: Any) -> None:
        if not issubclass(category, ModelWarning | RunWarning):
            other(message, category, *place)
            return
        warned.append(" ".join(str(message).split()))
        typer.echo(typer.style("warning: ", fg=typer.colors.YELLOW, bold=True) + warned[-1], err=True)

    warnings.showwarning = show  # type: ignore[assignment]
    for kind in (ModelWarning, RunWarning):
        warnings.simplefilter("always", kind)


@contextlib.contextmanager
def stdout_kept_clean(as_json: bool) -> Iterator[None]:
    """Send what a user's file prints to stderr, so that stdout has the JSON document alone."""
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


def print_json(document: Any) -> None:
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


def need_websockets() -> None:
    """Raise if the packages of the live page are not installed."""
    from importlib.util import find_spec

    if find_spec("websockets") is None:
        say('the live page needs websockets; install it with: pip install "linkwork[view]"')
        raise typer.Exit(FAILED)
