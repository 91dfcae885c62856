"""Compilation of functions with Numba, cached on disk by their text and that of all that they call."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from types import CellType, CodeType, FunctionType
from typing import Any

from econzoo.envs.core import cache_folder, explain_missing_library, write_file
from econzoo.envs.core.contract import draft, put, to_tuple
from econzoo.envs.core.vector import kernels as vector_kernels

GENERATED = "<generated"
"""Start of the file name of generated code."""

INLINED = ("observe", "features")
"""Functions of the rules that are inlined, like generated code: passing a view costs as much as building it."""


def numba() -> Any:
    """Import numba lazily."""
    with explain_missing_library("a compiled game"):
        import numba
    return numba


class FunctionCompiler:
    """Compiles copies of functions with their global names bound to compiled versions of what they call.

    Args:
        name: Start of the name of cache files.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._copies: dict[Any, Any] = _tuple_functions()
        self._text: list[str] = []
        self._unnamed_functions: list[FunctionType] = []
        self._options: dict[str, bool] = {}  # of Numba, for what is compiled now

    def compile_kernels(self, kernels: Sequence[Callable[..., Any]]) -> list[Callable[..., Any]]:
        """Compile functions that are called from Python and cached on disk; they share what they call."""
        # What they call comes first, as its text is in the names of the caches.
        for kernel in kernels:
            for name in sorted(_global_names(kernel.__code__) & {*kernel.__globals__}):
                self._bind_global(name, kernel.__globals__[name])
        compiled = [self._compile(kernel, self._cache_file((kernel,)), loop=True) for kernel in kernels]
        self._assign_names()
        return compiled

    def _compile(self, function: Any, cache_file: Path | None = None, loop: bool = False) -> Any:
        """Compile a copy of a function with compiled globals; only loops are called from Python."""
        if function not in self._copies:
            code, scope = function.__code__, {"__builtins__": builtins, "__name__": function.__module__ or __name__}
            scope["tuple"] = self._copies[tuple]
            # Numba keeps machine code beside the file of a function and trusts it while that file is unchanged.
            if cache_file is not None:
                code = code.replace(co_filename=str(cache_file))
            inlined = code.co_name in INLINED or code.co_filename.startswith(GENERATED)
            options = {"forceinline": inlined} | self._options | ({"forceinline": False} if loop else {})
            self._text.append(
                f"{function.__module__}.{function.__qualname__} {function.__defaults__} {options} {_fingerprint(code)}"
            )
            cells = [CellType(self._bind_global("closure", cell.cell_contents)) for cell in function.__closure__ or ()]
            copy = FunctionType(code, scope, function.__name__, function.__defaults__, tuple(cells) or None)
            self._unnamed_functions += [copy] if cache_file is None else []
            copy.__qualname__ = (
                f"{function.__name__}_{cache_file.stem}" if cache_file is not None else copy.__qualname__
            )
            ways_in = {"no_cfunc_wrapper": True, "no_cpython_wrapper": not loop}  # halves the compile time
            compiled = numba().njit(copy, nogil=True, cache=cache_file is not None, **ways_in, **options)
            self._copies[compiled] = compiled
            # Known before its own globals are bound, which may name the function again.
            self._copies[function] = self._wrap_compiled(function, compiled)
            # Sorted, as the text that identifies the loops must not depend on the order of a set.
            for name in sorted(_global_names(code)):
                if name in function.__globals__:
                    scope[name] = self._bind_global(name, function.__globals__[name])
        return self._copies[function]

    def _assign_names(self) -> None:
        """Give new functions unique names, for Numba to compile them.

        Numba identifies machine code by name and a per-process counter, and of two with the same name only the first
        one loaded runs: a loop cached by another process could replace this one's parts.
        """
        print_of_all = sha256("\n".join(self._text).encode()).hexdigest()[:20]
        for number, copy in enumerate(self._unnamed_functions):
            copy.__qualname__ = f"{copy.__name__}_{number}_{print_of_all}"
        self._unnamed_functions = []

    def _wrap_compiled(self, function: Any, compiled: Any) -> Any:
        """Return what compiled code calls in place of a function."""
        return compiled

    def _bind_global(self, name: str, value: Any) -> Any:
        """Return the value of a global name in compiled code."""
        value = value.__wrapped__ if hasattr(value, "cache_info") else value  # compiled functions need no cache
        if isinstance(value, FunctionType):
            return self._compile(value)
        if isinstance(value, type):
            return self._copies.get(value, value)
        if hasattr(value, "py_func"):
            return value  # compiled already, so its text exists
        self._text.append(f"{name} = {value!r}")
        return value

    def _cache_file(self, kernels: Sequence[Callable[..., Any]]) -> Path | None:
        """Return the file beside which Numba caches loops, identified by name and text; None if none is writable."""
        loops = [_fingerprint(kernel.__code__) for kernel in kernels]
        # Numbers that kernels read as globals, which their code does not hold.
        flags = {name: value for name, value in vars(vector_kernels).items() if isinstance(value, int)}
        text = "\n".join([*self._text, *loops, f"{flags}", ""])
        path = cache_folder() / "vector" / f"{self.name}_{sha256(text.encode()).hexdigest()[:20]}.txt"
        try:
            if not path.exists():
                write_file(path, text)
        except OSError:
            return None
        return path


def _tuple_functions() -> dict[Any, Any]:
    """Return the compiled replacements of functions that build or update tuples."""
    if numba().config.DISABLE_JIT:
        return {one: one for one in (tuple, draft, put, to_tuple)}
    from numba.cpython.unsafe.tuple import tuple_setitem

    def compiled_put(values: Any, place: Any, value: Any) -> Any:
        return tuple_setitem(values, place, value)  # type: ignore[call-arg]

    as_it_is = numba().njit(vector_kernels.identity)
    return {tuple: as_it_is, draft: as_it_is, to_tuple: as_it_is, put: numba().njit(compiled_put)}


def _global_names(code: CodeType) -> set[str]:
    """Return the global names in code, including inner functions."""
    return set(code.co_names).union(*(_global_names(c) for c in code.co_consts if isinstance(c, CodeType)))


def _fingerprint(code: CodeType) -> str:
    """Return a text that identifies the behaviour of code, independent of file and line."""
    constants = [_fingerprint(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {constants}"
