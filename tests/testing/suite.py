"""Declaration of checks and their cases."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from importlib import import_module
from inspect import getdoc, signature
from io import StringIO
from itertools import product
from typing import Any, NamedTuple
from zlib import crc32

from econzoo.envs.core.contract import Game, check_arguments
from econzoo.testing.playing import FACES, register_temporarily, settings_of

PARTS = (
    "folder",
    "package_files",
    "parts",
    "episodes",
    "faces",
    "texts",
    "tables",
    "sets",
    "bad_answers",
    "numeric_options",
    "privacy",
    "audience",
    "advice",
    "perspective",
    "pettingzoo_api",
    "gymnasium_api",
    "edges",
    "simulations",
    "compilation",
)
"""Modules of the suite in order: missing parts first, subtle checks last."""


class ConformanceWarning(UserWarning):
    """A game of another package lacks something required of this package's games."""


class Case(NamedTuple):
    """One value of one argument of a check.

    Attributes:
        value: The value.
        quick: Whether it is part of the quick subset.
        label: Display name.
    """

    value: Any
    quick: bool = True
    label: str = ""


class CheckDeclaration(NamedTuple):
    """A check, not bound to a game.

    Attributes:
        function: Takes the game and named arguments; raises if the game does not conform.
        guide: Section of ``docs/adding_a_game.md`` on the requirement.
        remedy: Remedy.
        axes: Values of arguments other than ``face``, ``setting`` and ``seeds``.
        is_optional: Whether it is optional for games of other packages.
    """

    function: Callable[..., None]
    guide: str
    remedy: str
    axes: Mapping[str, tuple[Case, ...]]
    is_optional: bool


@dataclass(frozen=True, repr=False)
class Check:
    """A check of a game in one case: a callable without arguments that raises if the game does not conform.

    Attributes:
        game: The game.
        part: The module of the suite.
        declaration: The check.
        arguments: The case.
        quick: Whether it is part of the quick subset.
        label: Display name of the case.
    """

    game: Game
    part: str
    declaration: CheckDeclaration
    arguments: Mapping[str, Any]
    quick: bool
    label: str

    def __str__(self) -> str:
        return f"{self.game.name}-{self.name}[{self.label}]".replace("[]", "")

    @property
    def name(self) -> str:
        """The module and the check: ``privacy.secrets_are_kept``."""
        return f"{self.part}.{self.declaration.function.__name__}"

    __repr__ = __str__

    def __call__(self) -> None:
        """Run the check.

        Raises:
            AssertionError: The game does not conform; the message names the section of the guide and the remedy.
            unittest.SkipTest: The check does not apply.
        """
        with register_temporarily(self.game), redirect_stdout(StringIO()):  # PettingZoo's tests print
            try:
                self.declaration.function(self.game, **self.arguments)
            except Exception as error:
                if self.declaration.is_optional and is_foreign(self.game) and isinstance(error, AssertionError):
                    warnings.warn(f"{self.game.name}: {error}", ConformanceWarning, stacklevel=2)
                    return
                error.add_note(f"{self}: {self.description}\n{self.remedy_text}")
                raise

    @property
    def description(self) -> str:
        """Property that the check verifies."""
        return (getdoc(self.declaration.function) or self.declaration.function.__name__.replace("_", " ")).split(
            "\n\n"
        )[0]

    @property
    def remedy_text(self) -> str:
        """Section of the guide, and remedy."""
        return f'See "{self.declaration.guide}" in docs/adding_a_game.md: {self.declaration.remedy}.'


def is_foreign(game: Game) -> bool:
    """Whether a game belongs to another package."""
    return not game.package.startswith("econzoo.")


def check(
    guide: str, remedy: str, is_optional: bool = False, **axes: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorator that declares a check; see `CheckDeclaration`."""

    def declare(function: Callable[..., None]) -> Callable[..., None]:
        cases = {name: tuple(_to_case(value) for value in values) for name, values in axes.items()}
        function.declared = CheckDeclaration(function, guide, remedy, cases, is_optional)  # type: ignore[attr-defined]
        return function

    return declare


def _to_case(value: Any) -> Case:
    case = value if isinstance(value, Case) else Case(value)
    return case if case.label else case._replace(label=str(getattr(case.value, "__name__", case.value)))


@check_arguments
def checks_of(game: Game, parts: Iterable[str] = PARTS) -> list[Check]:
    """Return all checks of a game.

    Args:
        game: The game; it need not be registered.
        parts: Modules of the suite.
    """
    return [one for part in parts for one in _checks(game, part)]


def _checks(game: Game, part: str) -> Iterator[Check]:
    module = import_module(f"econzoo.testing.{part}")
    for function in list(vars(module).values()):
        declared = getattr(function, "declared", None)
        # A check that another module imports belongs to its own module only.
        if declared is None or function.__module__ != module.__name__:
            continue
        for cases in product(*axes_of(game, declared)):
            label = ",".join(case.label for _, case in cases if case.label)
            arguments = {name: case.value for name, case in cases}
            yield Check(game, part, declared, arguments, all(case.quick for _, case in cases), label)


def axes_of(game: Game, declared: CheckDeclaration) -> list[list[tuple[str, Case]]]:
    """Return the named cases of every argument after the game.

    The first setting is quick, and one other; which one, and which face, differs from check to check.
    """
    # The same in every process, unlike hash() of a text.
    turn = crc32(f"{declared.function.__name__}-{game.name}".encode())

    def settings() -> Iterator[Case]:
        every = settings_of(game)
        edge = 1 + turn % max(len(every) - 1, 1)
        return (Case(setting, i in (0, edge), _setting_label(setting)) for i, setting in enumerate(every))

    known: dict[str, Callable[[], Iterable[Case]]] = {
        "face": lambda: (Case(face, k == turn % len(FACES), face) for k, face in enumerate(FACES)),
        "setting": settings,
        "seeds": lambda: (Case(range(1), True, ""), Case(range(1, 6), False, "more seeds")),
    }
    names = list(signature(declared.function).parameters)[1:]
    return [[(name, case) for case in declared.axes.get(name) or known[name]()] for name in names]


def _setting_label(setting: Mapping[str, Any]) -> str:
    return ",".join(f"{key}={value}" for key, value in setting.items()) or "default"


def replace_rules(game: Game, **parts: Any) -> Game:
    """Return the game with other parts of its rules, for tests of the suite."""
    return replace(game, rules=replace(game.rules, **parts))
