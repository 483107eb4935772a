"""Unknown options: suggest the option that users of other programs mean, as in Python."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand


class Command(TyperCommand):
    """A command that suggests --dt for --step, and --until for --t-end."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. For an unknown option, raise with the nearest known ones."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if hasattr(error, "option_name") and hasattr(error, "possibilities"):
                from linkwork.model.synonyms import meant

                ours = [option for each in self.params for option in each.opts if option.startswith("--")]
                typed = str(error.option_name).lstrip("-").replace("-", "_")
                near = meant(typed, [option[2:].replace("-", "_") for option in ours])
                error.possibilities = [f"--{name.replace('_', '-')}" for name in near] or error.possibilities
            raise
