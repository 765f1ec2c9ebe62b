"""Progress is shown while the work runs, and nothing of it is left."""

from __future__ import annotations

import io
import sys

import nbclient
import nbformat
import pytest

from softlookup.column_three import showing

CELL = """
from softlookup.column_three import showing, train
with showing("networks trained") as progress:
    run = train(range(40), epochs=1, progress=progress)
print(len(run.seeds))
"""


class Listening(nbclient.NotebookClient):
    """Keeps what the kernel sends as well as what remains in the cell."""

    def process_message(self, msg, cell, cell_index):
        self.heard.append((msg["msg_type"], msg["content"]))
        return super().process_message(msg, cell, cell_index)


def test_in_a_notebook_the_line_is_updated_and_cleared():
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    client = Listening(book, kernel_name="python3", extra_arguments=["--IPKernelApp.log_level=40"])
    client.heard = []
    client.execute()
    lines = [c["data"]["text/plain"] for kind, c in client.heard if kind == "update_display_data"]
    assert lines[0] == "0 of 40 networks trained"
    assert lines[-1] == "40 of 40 networks trained"
    # What nbval would compare is empty.
    assert [c["data"] for kind, c in client.heard if kind == "display_data"] == [{}]
    (output,) = book.cells[0].outputs
    assert output["text"] == "40\n"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_in_a_terminal_the_line_is_wiped_even_after_an_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())

    def stopped_halfway():
        with showing("networks") as progress:
            progress(1_000, 2_000)
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        stopped_halfway()
    shown = terminal.getvalue()
    assert "1,000 of 2,000 networks" in shown
    assert shown.endswith("\r\x1b[K")


def test_where_nobody_looks_nothing_is_written(capsys):
    with showing("networks") as progress:
        progress(1, 2)
    assert capsys.readouterr() == ("", "")
