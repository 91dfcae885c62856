"""Programs are complete, run, play like the library's own classes, and hide what their variant hides."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from econzoo.envs.games.code_reading import VARIANTS
from econzoo.envs.games.code_reading.items import items
from econzoo.envs.games.code_reading.programs.installed import Place, library, parsed
from econzoo.envs.games.code_reading.programs.playing import axelrod, loaded, moves, original
from econzoo.envs.games.code_reading.programs.reader import moves as read
from econzoo.envs.games.code_reading.programs.rendering import program


@pytest.fixture(scope="module", autouse=True)
def source():
    try:
        return library()
    except ImportError as missing:
        pytest.skip(str(missing))


SAMPLE = (
    "Calculator",
    "EvolvedANN5",
    "EvolvedHMM5",
    "FirstBySteinAndRapoport",
    "GoByMajority",
    "GradualKiller",
    "Grumpy",
    "MetaHunter",
    "NaiveProber",
    "PSOGambler1_1_1",
    "SecondByTranquilizer",
    "ThueMorse",
    "WorseAndWorse",
)
PLACES = {item.name: Place(item.module, item.name) for item in items()}


@pytest.mark.parametrize("name", SAMPLE)
def test_every_variant_plays_as_the_library_does(name):
    random = axelrod().Random
    for opponent, seed in ((None, 0), (random, 1), (random, 2)):
        wanted = moves(original(PLACES[name]), seed, opponent, rounds=25)
        for variant in VARIANTS:
            played = moves(loaded(program(PLACES[name], variant)), seed, opponent, rounds=25)
            assert played == wanted, variant


def test_what_the_tree_settles_is_what_is_played():
    """The abstract reading of a program is never wrong where it says anything about all ten rounds."""
    settled = 0
    for item in items():
        sure_c, sure_d = item.facts[9:11]
        if sure_d:
            assert item.yes == 0, item.name
        elif sure_c == 10:
            assert item.yes == item.seeds, item.name
        settled += bool(sure_d or sure_c == 10)
    assert settled > 110


@pytest.mark.parametrize("name", ["TitForTat", "BackStabber", "CyclerCCD", "WorseAndWorse3"])
def test_the_reading_does_not_depend_on_names(name):
    told = {read(program(PLACES[name], variant)) for variant in VARIANTS}
    assert len(told) == 1


def squeezed(text: str) -> str:
    return text.lower().replace("_", "").replace(" ", "")


UNAVOIDABLE = {"Random", "Pi", "e"}
"""``_random`` is the player's generator, ``pi`` a constant of ``math``, and e a letter."""


@pytest.mark.parametrize("variant", ["masked", "obfuscated"])
def test_no_trace_of_the_name_is_left(variant):
    for name, place in PLACES.items():
        if name not in UNAVOIDABLE:
            assert squeezed(name) not in squeezed(program(place, variant)), name


def own_names(text: str) -> set[str]:
    tree = ast.parse(text)
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return stored | {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}


def test_obfuscated_programs_have_no_variables_of_their_own():
    allowed = {"self", "cls", "name", "classifier", "args", "kwargs"}
    for place in PLACES.values():
        left = {name for name in own_names(program(place, "obfuscated")) if not name[1:].isdigit()} - allowed
        assert not any(name in own_names(program(place, "plain")) and len(name) > 12 for name in left), (place, left)


def test_stripped_programs_have_no_comments_and_docstrings():
    for place in list(PLACES.values())[::10]:
        text = program(place, "stripped")
        tree: Any = ast.parse(text)
        documented = (n for n in ast.walk(tree) if isinstance(n, ast.ClassDef | ast.FunctionDef))
        assert not any(ast.get_docstring(node) for node in documented)
        assert ast.unparse(tree) + "\n" == text


def imported(tree: ast.Module) -> set[str]:
    froms = (node for node in tree.body if isinstance(node, ast.ImportFrom))
    return {alias.asname or alias.name for node in froms for alias in node.names} | {"object"}


def test_parents_come_first_and_the_strategy_last():
    for name, place in PLACES.items():
        tree = parsed(program(place))
        defined: set[str] = set()
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
                assert bases - imported(tree) <= defined, name
                defined.add(node.name)
            elif isinstance(node, ast.Assign):  # Nice = NiceTransformer()(Known)
                defined.update(target.id for target in node.targets if isinstance(target, ast.Name))
        last = tree.body[-1]
        assert name in (getattr(last, "name", None), *(t.id for t in getattr(last, "targets", ())))
