"""A replay in the cell of a notebook that was run by Jupyter's own machinery, seen in a real browser."""

import numpy as np
import pytest

import linkwork as lw

nbclient = pytest.importorskip("nbclient", reason="notebooks are run by nbclient: pip install nbclient ipykernel")
pytest.importorskip("ipykernel", reason="notebooks are run by ipykernel: pip install nbclient ipykernel")
nbformat = pytest.importorskip("nbformat", reason="notebooks are run by nbclient: pip install nbclient ipykernel")


def test_a_replay_moves_in_its_cell(bundled, visit, until, swing, tmp_path):
    run = swing()
    run.save(tmp_path / "swing.npz")
    cells = ["import linkwork as lw", f"lw.load_run({str(tmp_path / 'swing.npz')!r}).view(inline=True)"]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    (shown,) = book.cells[1].outputs
    assert shown.data["text/html"].count("<iframe") == 1
    assert len(shown.data["text/html"]) < 1_000_000
    assert len(shown.data["text/plain"]) < 1000
    page = tmp_path / "notebook.html"
    page.write_text(f"<!doctype html><meta charset='utf-8'>{shown.data['text/html']}", encoding="utf-8")
    seen = visit(page.as_uri())
    cell = seen.frames[1]
    until(cell, "typeof linkwork === 'object' && linkwork.time > 0.3")  # it plays by itself
    t, first = cell.evaluate("[linkwork.time, linkwork.poses().arm]")
    until(cell, f"Math.hypot(...linkwork.poses().arm.map((x, k) => x - {first}[k])) > 0.05")
    for _ in range(2):
        t, arm = cell.evaluate("[linkwork.time, linkwork.poses().arm]")
        for k in range(3):
            assert arm[k] == pytest.approx(np.interp(t, run.time, run["arm.position"][:, k]), abs=1e-5)
    cell.evaluate("linkwork.pause(), linkwork.seek(0.52)")
    red, green, blue = cell.evaluate("linkwork.pixel(...linkwork.screen('ball'))")  # the third body is green
    assert green > 1.2 * red
    assert green > 1.1 * blue
    assert seen.errors == []
    assert all(address.startswith(("file:", "about:", "data:", "blob:")) for address in seen.asked)


def test_what_a_notebook_shows_of_each_thing(bundled):
    """One page at the most, below a megabyte, and a short text beside it."""
    model = lw.gallery.pendulum.build()
    run = lw.simulate(model, until=0.5, method="recursive", dt=0.01)
    poor = lw.Certificate(method="recursive", drift_relative=5.7)
    sim = lw.Simulation(model, "recursive", dt=0.01)
    sim.step(5)
    for thing, said in (
        (model, "revolute  pin"),
        (run, "51 samples"),
        (run.certificate, "balance within"),
        (poor, "IN DOUBT"),
        (lw.check(model), "degrees of freedom: 1"),
        (sim, "t = 0.05 s, 5 steps"),
    ):
        page = thing._repr_html_()
        assert said in page
        assert len(page) < 1_000_000
        assert page.count("<iframe") == (thing is run)
        assert len(repr(thing)) < 1000
    assert "drift by 5.7" in poor._repr_html_()
    assert "IN DOUBT" not in run._repr_html_()
    few = lw.simulate(model, until=0.1, method="recursive", dt=0.01, record=["pin.position"])
    assert "<iframe" not in few._repr_html_()  # where its bodies are was not recorded
