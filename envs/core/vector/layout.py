"""Layout of nested named tuples as arrays, one per number."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, get_args, get_type_hints

import numpy as np

from econzoo.envs.core.contract import CHANCE, PASS, SEVERAL
from econzoo.envs.core.faces import Slots


class CannotCompileError(TypeError):
    """The rules of a game use an unsupported feature, named in the message."""


def short_error(error: Exception) -> str:
    """Shorten a Numba error to the problem and its line."""
    text = re.sub(r"\x1b\[[\d;]*m", "", str(error))
    what = [line.strip(" >") for line in text.splitlines() if line.strip() and not line.startswith("Failed in")]
    place = re.search(r'File "[^"]*", line \d+', text)
    return " ".join([*what[: 1 + what[0].endswith(":")], *([f"({place[0]})"] if place else [])])


MIN_TABLE_LENGTH = 32
"""Minimum length of tuples of one type that are stored as one array."""


class Leaf(NamedTuple):
    """One number inside a nested tuple, or a long tuple of numbers.

    Attributes:
        path: Indices from the outside in.
        shape: Array shape of a long tuple; empty for a number.
    """

    path: tuple[int, ...]
    type: type
    shape: tuple[int, ...] = ()

    @property
    def subscript(self) -> str:
        """Path as source, e.g. ``[2][0]``."""
        return "".join(f"[{step}]" for step in self.path)


class Layout:
    """Numbers of a nested named tuple, in order.

    Args:
        example: A value; all values have the same shape.
        tables: Whether long tuples (``tuple[float, ...]``, ``tuple[tuple[float, ...], ...]``) are passed to the rules
            as arrays, which support elements, rows and length.
    """

    def __init__(self, example: Any, tables: bool = False) -> None:
        self._tables = tables
        self.classes: list[type] = []
        self.leaves: list[Leaf] = []
        self.shape = _shape(example)
        self._tree = self._read(type(example).__name__, type(example), example, ())

    def _read(self, name: str, hint: Any, value: Any, path: tuple[int, ...]) -> Any:
        """Return the index of a number among the leaves, or (class or None, parts) of a tuple."""
        if hasattr(value, "_fields"):
            cls: Any = type(value)
            if cls not in self.classes:
                self.classes.append(cls)
            hints = get_type_hints(cls)
            names, inner = [f"{name}.{f}" for f in cls._fields], [hints[f] for f in cls._fields]
        elif self._tables and (table := _table_shape(hint, value)):
            self.leaves.append(Leaf(path, *table))
            return len(self.leaves) - 1
        elif isinstance(value, tuple):
            cls = None
            names = [f"{name}[{i}]" for i in range(len(value))]
            inner = [a for a in get_args(hint) if a is not Ellipsis] or [type(v) for v in value]
            inner += inner[-1:] * (len(value) - len(inner))
        elif hint in (bool, int, float):
            self.leaves.append(Leaf(path, hint))
            return len(self.leaves) - 1
        else:
            raise CannotCompileError(f"{name} is declared as {hint}: expected bool, int, float or a tuple of them")
        return cls, [self._read(names[i], inner[i], v, (*path, i)) for i, v in enumerate(value)]

    def source(self, leaf: Callable[[int, Leaf], str]) -> str:
        """Return source that builds a value from the source of each number; classes are named ``class_0``, ..."""

        def build(node: Any) -> str:
            if isinstance(node, int):
                return leaf(node, self.leaves[node])
            cls, parts = node
            inside = "".join(f"{build(part)}, " for part in parts)
            return f"({inside})" if cls is None else f"class_{self.classes.index(cls)}({inside})"

        return build(self._tree)

    def functions(self, name: str) -> str:
        """Return source of ``load_NAME``, ``store_NAME`` and ``cast_NAME`` (casts numbers to declared types)."""
        lines = [f"def load_{name}(arrays, i):", f"    return {self.source(lambda k, _: f'arrays[{k}][i]')}"]
        lines += [f"def store_{name}(arrays, i, value):"]
        lines += [f"    arrays[{k}][i] = value{leaf.subscript}" for k, leaf in enumerate(self.leaves)]
        cast = self.source(lambda _, leaf: f"{leaf.type.__name__}(value{leaf.subscript})")
        return "\n".join([*lines, f"def cast_{name}(value):", f"    return {cast}", ""])

    def scope(self) -> dict[str, type]:
        """Names used by the source."""
        return {f"class_{i}": cls for i, cls in enumerate(self.classes)}

    def empty(self, rows: int) -> tuple[np.ndarray, ...]:
        """Return arrays of zeros for `rows` values."""
        return tuple(np.zeros((rows, *leaf.shape), leaf.type) for leaf in self.leaves)

    def arrays(self, values: Sequence[Any]) -> tuple[np.ndarray, ...]:
        """Convert values to arrays, one row each; raise `ValueError` if their tuples differ in length."""
        if any(_shape(value) != self.shape for value in values):
            raise ValueError("values of one batch must have tuples of equal lengths")
        out = self.empty(len(values))
        for row, value in enumerate(values):
            for column, leaf in zip(out, self.leaves, strict=True):
                column[row] = _value_at(value, leaf.path)
        return out

    def value(self, arrays: Sequence[np.ndarray], row: int) -> Any:
        """Read back one value."""

        def build(node: Any) -> Any:
            if isinstance(node, int):
                return arrays[node][row].item()
            cls, parts = node
            inside = [build(part) for part in parts]
            return tuple(inside) if cls is None else cls(*inside)

        return build(self._tree)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Layout) and (self._tree, self.leaves) == (other._tree, other.leaves)

    def __hash__(self) -> int:
        # The tree has lists, which have no hash.
        return hash(tuple(self.leaves))


def _table_shape(hint: Any, value: Any) -> tuple[type, tuple[int, ...]] | None:
    """Return type and shape of a long tuple as an array, or None."""
    try:
        shape = np.shape(value)
    except ValueError:  # ragged rows
        return None
    for _ in shape:
        hint, *more = get_args(hint) or (None,)
        if more != [Ellipsis]:
            return None
    return (hint, shape) if hint in (bool, int, float) and max(shape, default=0) >= MIN_TABLE_LENGTH else None


def _shape(value: Any) -> Any:
    return tuple([_shape(part) for part in value]) if isinstance(value, tuple) else None


def _value_at(value: Any, path: tuple[int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def row_writer(name: str, width: int) -> str:
    """Return source of ``store_NAME(out, i, value)``, which writes a tuple to a row of a table."""
    lines = [f"    out[i, {k}] = value[{k}]" for k in range(width)]
    return "\n".join([f"def store_{name}(out, i, value):", *lines, ""])


def bounds_writer(slots: int) -> str:
    """Return source of ``store_bounds(out, i, value)``, which writes a pair per slot."""
    lines = [f"    out[i, {k}, {side}] = value[{k}][{side}]" for k in range(slots) for side in (0, 1)]
    return "\n".join(["def store_bounds(out, i, value):", *(lines or ["    pass"]), ""])


def moves_source(kinds: Sequence[Sequence[tuple[int, bool]]], width: int, seats: int) -> str:
    """Return source of the conversions between arrays and moves.

    ``load_values``, ``store_values``, ``inside``, ``as_move``, ``of_nature``, and ``apply_all``. Numbers are loaded
    once as a tuple and passed by value: passing the array and indices between functions halves the speed.
    """
    lines = ["def load_values(values, i, j):"]
    lines += [f"    return ({''.join(f'values[i, j * {width} + {k}], ' for k in range(width))})"]
    lines += ["def store_values(values, i, j, v):"]
    lines += [f"    values[i, j * {width} + {k}] = v[{k}]" for k in range(width)]
    lines += ["def inside(p, s, seat, kind, v):"]
    for kind, own in enumerate(kinds):
        if own:
            lines += [f"    if kind == {kind}:", "        b = bounds(p, s, seat)"]
        for place, (slot, whole) in enumerate(own):
            rest = f" or v[{place}] != floor(v[{place}])" if whole else ""
            lines += [f"        if not (b[{slot}][0] <= v[{place}] <= b[{slot}][1]){rest}:", "            return False"]
    lines += ["    return True", "def as_move(kind, v):"]
    takers = [" or ".join(f"kind == {i}" for i, own in enumerate(kinds) if len(own) > k) for k in range(width)]
    parts = "".join(f"v[{k}] if {taker} else 0.0, " if taker else "0.0, " for k, taker in enumerate(takers))
    lines += [f"    return Move(kind, ({parts}))"]
    lines += ["def of_nature(outcome):", f"    return Move({CHANCE}, (outcome, {'0.0, ' * (width - 1)}))"]
    passing = f"Move({PASS}, ({'0.0, ' * width}))"
    moves = "".join(
        f"as_move(kinds[i, {j}], load_values(values, i, {j})) if moves_now(p, s, {SEVERAL}, {j}) else {passing}, "
        for j in range(seats)
    )
    lines += ["def apply_all(p, s, kinds, values, i):", f"    return apply(p, s, ({moves}))", ""]
    return "\n".join(lines)


def play_source(strategies: int, width: int) -> str:
    """Return source of ``play(strategy, view, numbers, past, u)``, which returns kind and numbers of a move.

    Args:
        strategies: Number of strategies: ``note_0``, ``move_0``, ``note_1``, ...
    """
    lines, parts = ["def play(strategy, v, x, past, u):"], "".join(f"float(m.values[{k}]), " for k in range(width))
    for i in range(strategies):
        lines += [f"    if strategy == {i}:", f"        note_{i}(v, past)", f"        m = move_{i}(v, x, past, u)"]
        lines += [f"        return int(m.kind), ({parts})"]
    return "\n".join([*lines, f"    return 0, ({'0.0, ' * width})", ""])


SlotArrays = tuple[np.ndarray, ...]
"""First slot and count of numbers of every kind; then for every slot: whether it is discrete, smallest value, grid
size, and whether it is an integer."""


def slot_arrays(slots: Slots) -> SlotArrays:
    """Return the numbers of a game for the loops."""
    actions, marks = slots.actions, slots.marks
    counted = np.array([mark.is_discrete for mark in marks], bool)
    base = np.array([mark.value_at(0, (0.0, 0.0), 2) if mark.is_discrete else 0.0 for mark in marks], np.float64)
    grid, whole = np.array(slots.grids, np.int64), np.array([mark.is_integer for mark in marks], bool)
    counts = np.array([len(own) for own in actions.marks], np.int64)
    return np.array(actions.first, np.int64), counts, counted, base, grid, whole


def to_array(name: str, values: Any) -> np.ndarray:
    """Convert an argument to an array, else raise `ValueError`."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be an array: {error}") from None


def check_values(name: str, values: Any, games: int, columns: int, width: int) -> np.ndarray:
    """Validate numbers of moves of columns of seats; return one row per game, 0 if None."""
    shape = (games,) if columns == 1 else (games, columns)
    if values is None:
        return np.zeros((games, columns * width))
    array = to_array(name, values)
    if array.shape != (*shape, width) and (width > 1 or array.shape != shape):
        raise ValueError(
            f"{name} must have shape {shape if width == 1 else (*shape, width)}, got {describe_array(array)}"
        )
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} must be numbers, got {describe_array(array)}")
    finite = np.isfinite(array)
    if not finite.all():
        raise ValueError(f"{name} must be finite, got {array[~finite][0]} in game {int(np.argwhere(~finite)[0][0])}")
    return np.array(array, np.float64, order="C").reshape(games, columns * width)


def describe_array(array: np.ndarray) -> str:
    """Format type and shape of an array."""
    return f"{array.dtype} of shape {array.shape}"


def restore_array(name: str, own: np.ndarray, given: Any, indices: range | None = None) -> None:
    """Overwrite an array with a saved one; compiled loops do not check that indices are among `indices`."""
    saved = np.asarray(given)
    if (saved.dtype, saved.shape) != (own.dtype, own.shape):
        raise ValueError(f"{name} must be {describe_array(own)}, got {describe_array(saved)}")
    if indices is not None and not np.all((saved >= indices.start) & (saved < indices.stop)):
        raise ValueError(f"{name} must be from {indices.start} to {indices.stop - 1}")
    own[...] = saved


def read_only_view(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.setflags(write=False)
    return view
