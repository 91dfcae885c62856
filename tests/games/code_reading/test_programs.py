"""Programs are complete, run, play like the library's own classes, and hide what their variant hides."""

from __future__ import annotations

import ast
import builtins
from typing import Any

import pytest

from econzoo.envs.games.code_reading import VARIANTS
from econzoo.envs.games.code_reading.items import items
from econzoo.envs.games.code_reading.programs.abstract_interpretation import moves as read
from econzoo.envs.games.code_reading.programs.axelrod_source import Library, Place, load_library, parse_module
from econzoo.envs.games.code_reading.programs.execution import import_axelrod, load_class, moves, strategy_class
from econzoo.envs.games.code_reading.programs.masking import revealing_words, split_words, strategies
from econzoo.envs.games.code_reading.programs.renaming import engine_names
from econzoo.envs.games.code_reading.programs.rendering import render_program
from exhaustive import long_unless


@pytest.fixture(scope="module", autouse=True)
def source():
    try:
        return load_library()
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
EACH = long_unless((7).__eq__, [7, 1])
"""Steps from program to program, where all are looked at with the mark `long` only."""


@pytest.mark.slow
def test_every_variant_plays_as_the_library_does():
    for name in SAMPLE:
        random = import_axelrod().Random
        for opponent, seed in ((None, 0), (random, 1), (random, 2)):
            wanted = moves(strategy_class(PLACES[name]), seed, opponent, rounds=25)
            for variant in VARIANTS:
                played = moves(load_class(render_program(PLACES[name], variant)), seed, opponent, rounds=25)
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


def test_the_reading_does_not_depend_on_names():
    for name in ("TitForTat", "BackStabber", "CyclerCCD", "WorseAndWorse3"):
        told = {read(render_program(PLACES[name], variant)) for variant in VARIANTS}
        assert len(told) == 1, name


def squeezed(text: str) -> str:
    return text.lower().replace("_", "").replace(" ", "")


UNAVOIDABLE = {"Random", "Pi", "e"}
"""``_random`` is the player's generator, ``pi`` a constant of ``math``, and e a letter."""


@pytest.mark.long
def test_no_trace_of_the_name_is_left():
    for variant in ("masked", "obfuscated"):
        for name, place in PLACES.items():
            if name not in UNAVOIDABLE:
                assert squeezed(name) not in squeezed(render_program(place, variant)), name


def names_in(text: str) -> set[str]:
    """Everything in a program that can tell something: names of all kinds, and strings."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        found.update(
            value for key in ("id", "attr", "name", "arg") if isinstance(value := getattr(node, key, None), str)
        )
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found


def foreign(text: str, source: Library) -> set[str]:
    """The names of a program that are not its own: imported, built in, or of the library's engine."""
    froms = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom | ast.Import))
    return (
        {(alias.asname or alias.name) for node in froms for alias in node.names}
        | set(dir(builtins))
        | engine_names(source)
    )


@pytest.mark.parametrize("each", EACH)
@pytest.mark.parametrize("variant", [pytest.param("masked", marks=pytest.mark.slow), "obfuscated"])
def test_no_word_of_a_name_is_left(variant, each, source):
    """Not the item's name, nor those of the strategies before it; what they share with the engine tells nothing."""
    for place in list(PLACES.values())[::each]:
        plain, text = render_program(place, "stripped"), render_program(place, variant)
        hidden = {word for name in strategies(parse_module(plain)) for word in revealing_words(name, source)}
        left = {name for name in names_in(text) - foreign(text, source) if hidden & split_words(name)}
        assert not left, (place.name, left)


def test_words_of_a_name_are_seen_where_they_are(source):
    """The check above is one that can fail: this text, whose names are not masked, has them."""
    text = render_program(PLACES["TrickyCooperator"], "stripped")
    assert {name for name in names_in(text) - foreign(text, source) if "tricky" in split_words(name)}


def test_the_words_of_names():
    assert split_words("GoByMajority40") == {"go", "by", "majority"}
    assert split_words("EvolvedHMM5") == {"evolved", "hmm"}
    assert split_words("detect_cycle") == {"detect", "cycle"}
    assert split_words("FSMPlayer is tricky") == {"fsm", "player", "is", "tricky"}


def test_the_words_that_tell_of_a_strategy(source):
    for name, told in [
        ("TrickyCooperator", {"tricky", "cooperator"}),
        ("RandomHunter", {"hunter"}),
        ("CyclerCCCDCD", {"cycler"}),
        ("MetaWinnerLongMemory", {"meta"}),
        ("DBS", set()),
    ]:
        assert revealing_words(name, source) == told


def bound(text: str) -> set[str]:
    """Every name that a program gives to something: variables, parameters, functions, classes, attributes."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.id if isinstance(node, ast.Name) else node.attr)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
    return found


@pytest.mark.parametrize("each", EACH)
def test_obfuscated_programs_bind_no_names_of_their_own(each, source):
    """Whatever a program names is v1, a1, ..., or has a name by which the library or Python calls it."""
    for place in list(PLACES.values())[::each]:
        text = render_program(place, "obfuscated")
        own = {name for name in bound(text) - foreign(text, source) if name not in ("self", "cls")}
        assert {name for name in own if not numbered(name) and not name.startswith("__")} == set(), place.name


def numbered(name: str) -> bool:
    return name[0] in "va" and name[1:].isdigit()


def test_stripped_programs_have_no_comments_and_docstrings():
    for place in list(PLACES.values())[::10]:
        text = render_program(place, "stripped")
        tree: Any = ast.parse(text)
        documented = (n for n in ast.walk(tree) if isinstance(n, ast.ClassDef | ast.FunctionDef))
        assert not any(ast.get_docstring(node) for node in documented)
        assert ast.unparse(tree) + "\n" == text


def imported(tree: ast.Module) -> set[str]:
    froms = (node for node in tree.body if isinstance(node, ast.ImportFrom))
    return {alias.asname or alias.name for node in froms for alias in node.names} | {"object"}


def test_parents_come_first_and_the_strategy_last():
    for name, place in PLACES.items():
        tree = parse_module(render_program(place))
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
