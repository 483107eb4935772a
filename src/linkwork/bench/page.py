"""What the scenes measured as one HTML page that opens offline: charts, ratios to others, tables, the machine."""

from __future__ import annotations

import importlib.util
import io
from html import escape
from typing import TYPE_CHECKING, Any

from linkwork.bench import HEADS, SCENES, Chart, Figure, SceneReport, against, cells_of, machine, number, versions
from linkwork.errors import OptionError
from linkwork.simulation.storage.files import check_path, write_file
from linkwork.viewer.pictures.panels import COLOURS, STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKS = ("o", "s", "^", "D", "v", "P", "X")  # told apart without colour too
LOOK = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.2rem; margin-top: 2.5rem }
table { border-collapse: collapse; font-size: 0.85rem } td, th { padding: 0.2rem 0.7rem; border-bottom: 1px solid #ddd }
td { font-variant-numeric: tabular-nums } th { text-align: left } .charts { display: flex; flex-wrap: wrap; gap: 1rem }
.pass { color: #00664b } .fail { color: #a03c00; font-weight: 600 } .how, footer { color: #555; font-size: 0.85rem }
svg { max-width: 100%; height: auto }
"""


def check(file: str) -> None:
    """Whether a page can be written there at all: known before minutes of measuring."""
    check_path(file, (".html",))
    if importlib.util.find_spec("matplotlib") is None:
        raise OptionError('charts need matplotlib: pip install "linkwork[plot]"')


def write(file: str, reports: list[SceneReport], quick: bool) -> None:
    """Write the page of `reports`."""
    path = check_path(file, (".html",))
    text = page(reports, quick)
    write_file(path, lambda stream: stream.write(text.encode()))


def page(reports: list[SceneReport], quick: bool) -> str:
    """The page as text.

    >>> "<svg" in page([SceneReport("tree", [], charts=[Chart("a", "x", "y", {"b": [(1.0, 2.0)]})])], quick=True)
    True
    """
    known = machine()
    told = ", ".join(f"{name} {version}" for name, version in versions().items() if version)
    missing = ", ".join(name for name, version in versions().items() if not version)
    rough = '<p class="fail">Quick figures: they show that all works, and are not worth quoting.</p>' if quick else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>linkwork: measured</title>'
        f"<style>{LOOK}</style></head><body><h1>linkwork beside other engines</h1>{rough}"
        "<p>A ratio is our time over theirs in the same run: below 1 linkwork is faster.</p>"
        f"{''.join(_section(report) for report in reports)}"
        f"<footer><p>{escape(str(known['processor']))}, {known['cores']} cores, {escape(known['system'])}. "
        f"{escape(told)}.{' Not installed: ' + escape(missing) + '.' if missing else ''}</p></footer></body></html>\n"
    )


def _section(report: SceneReport) -> str:
    pictures = [_drawn(chart) for chart in report.charts]
    if any(row.ratio is not None for row in report.comparisons):
        pictures.insert(0, _ratios(report))
    heads = "".join(f"<th>{escape(head)}</th>" for head in HEADS)
    rows = "".join(
        "<tr>" + "".join(f'<td class="{escape(cell)}">{escape(cell)}</td>' for cell in cells_of(row)) + "</tr>"
        for row in report.comparisons
    )
    figures = "".join(_figure(figure) for figure in report.figures)
    return (
        f'<h2 id="{report.scene}">{escape(report.scene)}: {escape(SCENES[report.scene][1])}</h2>'
        f'<div class="charts">{"".join(pictures)}</div><table><tr>{heads}</tr>{rows}</table>'
        f'<ul>{figures}</ul><p class="how">{escape(report.how)}</p>'
    )


def _figure(figure: Figure) -> str:
    return f'<li class="{figure.verdict}">{escape(figure.name)}: {number(figure.value)}{against(figure)}</li>'


def _drawn(chart: Chart) -> str:
    def draw(axes: Axes) -> None:
        for k, (name, points) in enumerate(chart.lines.items()):
            look = {"color": COLOURS[k % len(COLOURS)], "marker": MARKS[k % len(MARKS)], "markersize": 4}
            axes.plot(*zip(*points, strict=True), label=name, **look)  # type: ignore[arg-type]
        axes.set(xscale="log", yscale="log", xlabel=chart.x, ylabel=chart.y, title=chart.title)
        axes.legend()

    return _svg(draw, 3.2)


def _ratios(report: SceneReport) -> str:
    rows = [row for row in report.comparisons if row.ratio is not None][::-1]

    def draw(axes: Axes) -> None:
        engines = sorted({row.engine for row in rows})
        for k, row in enumerate(rows):
            axes.barh(k, row.ratio or 0.0, color=COLOURS[engines.index(row.engine) % len(COLOURS)], height=0.6)
            if row.target is not None:
                axes.plot([row.target] * 2, [k - 0.4, k + 0.4], color="#222222", linewidth=2)
        axes.set_yticks(range(len(rows)), [f"{row.case} / {row.engine}" for row in rows])
        axes.axvline(1.0, color="#888888", linestyle="--", linewidth=1)
        axes.set(xscale="log", xlabel="our time over theirs; the mark is what we aim at", title="ratios")

    return _svg(draw, 1.0 + 0.24 * len(rows))


def _svg(draw: Any, height: float) -> str:
    import matplotlib as mpl
    from matplotlib.figure import Figure as Drawing

    with mpl.rc_context(STYLE):
        drawing = Drawing(figsize=(5.4, height), layout="constrained")
        draw(drawing.subplots())
        out = io.StringIO()
        drawing.savefig(out, format="svg")
    text = out.getvalue()
    return text[text.index("<svg") :]
