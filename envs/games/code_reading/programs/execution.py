"""Runs the programs of the items: against a cooperator, as the benchmark asks, or any other strategy of the library.

Only here is the library imported (which takes some seconds), and only here are the texts run: they come from its own
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

from econzoo.envs.core.extras import explain_missing_library
from econzoo.envs.games.code_reading.programs.axelrod_source import Place, defined_names, parse_module
from econzoo.envs.games.code_reading.programs.grammar import GENERATED, source

ROUNDS = 10
"""Length of the match that the benchmark asks about; both players know it."""


def import_axelrod(purpose: str = "a match of the programs") -> ModuleType:
    """The library, imported.

    Args:
        purpose: What needs it, for the message.

    Raises:
        ImportError: It is not installed; the message says how to get it.
    """
    with explain_missing_library(purpose), _cache_sources(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return import_module("axelrod")


@contextmanager
def _cache_sources() -> Iterator[None]:
    """Answers `inspect.getsource` from memory: the import asks for some forty sources 15,000 times."""
    read, known = inspect.getsource, dict[Any, str]()

    def once(object: Any) -> str:  # named as in `inspect`
        function = getattr(object, "__func__", object)
        if function not in known:
            known[function] = read(object)
        return known[function]

    inspect.getsource = once
    try:
        yield
    finally:
        inspect.getsource = read


def strategy_class(strategy: Place) -> Any:
    """The library's own class of a strategy, or that of a generated one."""
    if strategy.module == GENERATED:
        return load_class(source(strategy.name))
    return getattr(import_axelrod(), strategy.name)


def load_class(text: str) -> Any:
    """The class that a rendered program defines last, made anew.

    Args:
        text: A text made by `econzoo.envs.games.code_reading.programs.rendering`; never one from elsewhere.
    """
    import_axelrod()
    name = f"program_{sha256(text.encode()).hexdigest()[:16]}"
    module = ModuleType(name)
    module.__file__ = f"<{name}>"
    # The library looks at the source of players that it does not know by name, so it must be found.
    sys.modules[name] = module
    linecache.cache[module.__file__] = (len(text), None, text.splitlines(keepends=True), module.__file__)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(text, module.__file__, "exec")
    exec(code, vars(module))
    return getattr(module, defined_names(parse_module(text).body[-1])[-1])


def moves(player: Any, seed: int, opponent: Any = None, rounds: int = ROUNDS) -> str:
    """The moves of a strategy in one match, as a text of C and D.

    Args:
        player: Its class.
        seed: Of the match; the library hands numbers drawn from it to both players.
        opponent: The other's class; None: the cooperator.
        rounds: Length of the match.
    """
    library = import_axelrod()
    other = library.Cooperator if opponent is None else opponent
    match = library.Match([player(), other()], turns=rounds, seed=seed)
    return "".join(str(own) for own, _ in match.play())


def is_stochastic(player: Any) -> bool:
    """Whether the library says that a strategy uses chance."""
    return bool(import_axelrod().Classifiers["stochastic"](player()))
