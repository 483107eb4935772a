"""A replay in the cell of a notebook that was run by Jupyter's own machinery, seen in a real browser."""

import numpy as np
import pytest

nbclient = pytest.importorskip("nbclient", reason="notebooks are run by nbclient: pip install nbclient ipykernel")
pytest.importorskip("ipykernel", reason="notebooks are run by ipykernel: pip install nbclient ipykernel")
nbformat = pytest.importorskip("nbformat", reason="notebooks are run by nbclient: pip install nbclient ipykernel")


def test_a_replay_moves_in_its_cell(visit, until, swing, tmp_path):
    run = swing()
    run.save(tmp_path / "swing.npz")
    cells = ["import linkwork as lw", f"lw.load_run({str(tmp_path / 'swing.npz')!r}).view(inline=True)"]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    (shown,) = book.cells[1].outputs
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
