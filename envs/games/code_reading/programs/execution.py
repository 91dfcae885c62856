"""Execution of the items' programs, against a cooperator as in the benchmark or any other strategy of the library.

Only this module imports the library (which takes some seconds) and runs the texts; they come from the library's own
files, so running them is running the library.
"""

from __future__ import annotations

import inspect
import linecache
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib import import_module
from types import ModuleType
from typing import Any

from econzoo.envs.core import explain_missing_library
from econzoo.envs.games.code_reading.programs.axelrod_source import Place, defined_names, parse_module
from econzoo.envs.games.code_reading.programs.grammar import GENERATED, source

ROUNDS = 10
"""Length of the benchmark's match, known to both players."""


def import_axelrod(purpose: str = "a match of the programs") -> ModuleType:
    """Import the library; the purpose is for the error if it is missing."""
    with explain_missing_library(purpose), _cache_sources(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return import_module("axelrod")


@contextmanager
def _cache_sources() -> Iterator[None]:
    """Cache `inspect.getsource`: the import requests some forty sources 15,000 times."""
    read, cache = inspect.getsource, dict[Any, str]()

    def read_cached(object: Any) -> str:  # parameter named as in `inspect`
        function = getattr(object, "__func__", object)
        if function not in cache:
            cache[function] = read(object)
        return cache[function]

    inspect.getsource = read_cached
    try:
        yield
    finally:
        inspect.getsource = read


def strategy_class(strategy: Place) -> Any:
    """Return the class of a strategy of the library, or of a generated one."""
    if strategy.module == GENERATED:
        return load_class(source(strategy.name))
    return getattr(import_axelrod(), strategy.name)


def load_class(text: str) -> Any:
    """Run a rendered program and return the class that it defines last.

    Args:
        text: A text from `econzoo.envs.games.code_reading.programs.rendering`; never from elsewhere.
    """
    import_axelrod()
    name = f"program_{sha256(text.encode()).hexdigest()[:16]}"
    module = ModuleType(name)
    module.__file__ = f"<{name}>"
    # The library inspects the source of players that it does not know by name, so it must be findable.
    sys.modules[name] = module
    linecache.cache[module.__file__] = (len(text), None, text.splitlines(keepends=True), module.__file__)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(text, module.__file__, "exec")
    exec(code, vars(module))
    return getattr(module, defined_names(parse_module(text).body[-1])[-1])


def moves(player: Any, seed: int, opponent: Any = None, rounds: int = ROUNDS) -> str:
    """Play one match against a strategy (default: the cooperator) and return the moves as a string of C and D.

    Args:
        seed: Seed of the match, from which the library seeds both players.
    """
    library = import_axelrod()
    other = library.Cooperator if opponent is None else opponent
    match = library.Match([player(), other()], turns=rounds, seed=seed)
    return "".join(str(own) for own, _ in match.play())


def is_stochastic(player: Any) -> bool:
    """Whether the library classifies a strategy as stochastic."""
    return bool(import_axelrod().Classifiers["stochastic"](player()))
