"""Numbers that a strategy reads from a data file of the library, written into its program.

`load_weights` and `load_pso_tables` give tables for many strategies; a program gets the rows that it looks up.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from econzoo.envs.games.code_reading.programs.closure import Closure
from econzoo.envs.games.code_reading.programs.installed import Library

Row = tuple[Any, Any]


def _weights(cells: Sequence[str]) -> Row:
    """Name, features, hidden nodes, weights."""
    return cells[0], (int(cells[1]), int(cells[2]), [float(cell) for cell in cells[3:]])


def _tables(cells: Sequence[str]) -> Row:
    """Name and three depths, then the entries."""
    return (cells[0], *map(int, cells[1:4])), [float(cell) for cell in cells[4:]]


LOADERS: dict[str, tuple[str, Callable[[Sequence[str]], Row]]] = {
    "load_weights": ("ann_weights.csv", _weights),
    "load_pso_tables": ("pso_gambler.csv", _tables),
}
"""Function of the library to the file that it reads and the meaning of a line."""


def loader_of(node: ast.stmt) -> str:
    """The loader whose result a statement gives a name to; empty if none."""
    called = node.value.func if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) else None
    return called.id if isinstance(called, ast.Name) and called.id in LOADERS else ""


def written_out(library: Library, program: Closure, node: ast.stmt) -> str:
    """The statement with the table itself in place of the call of a loader."""
    assert isinstance(node, ast.Assign)
    target = ast.unparse(node.targets[0])
    wanted = list(_keys(program, target))
    rows = [(key, value) for key, value in _rows(library, loader_of(node)) if key in wanted]
    return "\n".join([f"{target} = {{", *[f"    {key!r}: {value!r}," for key, value in rows], "}"])


def _keys(program: Closure, table: str) -> Iterator[Any]:
    """The constant keys by which a program looks into a table."""
    for piece in program.pieces:
        for node in ast.walk(piece.node):
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == table:
                yield ast.literal_eval(node.slice)


def _rows(library: Library, loader: str) -> Iterator[Row]:
    file, meaning = LOADERS[loader]
    for line in (library.root / "data" / file).read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith("#"):
            yield meaning(line.split(", "))
