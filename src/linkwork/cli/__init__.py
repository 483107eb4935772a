"""The command line: linkwork gallery, run, compare, view, replay, check, convert, export, bench, serve, doctor.

Exit codes: 0 good, 1 the run or the check failed (the reason on stderr), 2 wrong usage. With `--json` one JSON document
goes to stdout and nothing else. Everything heavy is imported inside the commands, so that `--help` answers at once.
"""

from linkwork.cli import gallery, run, looking, judging, converting, exporting, serving, doctor  # noqa: F401, I001 - as --help lists them
from linkwork.cli.app import app
from linkwork.cli.options import Command
from linkwork.cli.console import end_well, leave_full_output, output_is_full

for _command in app.registered_commands:
    _command.cls = Command


def main() -> None:
    """Entry point of the command `linkwork`."""
    end_well()
    try:
        app()
    except OSError as error:
        if not output_is_full(error):
            raise
        leave_full_output()
