"""The house: imports go one way, the core knows no game, and nothing shares random numbers behind the scenes."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from graphlib import TopologicalSorter

import pytest

import econzoo
from import_scanner import FILES, LAYERS, at_import, face_of, import_graph, imports, module_of, public_names, tree_of

pytestmark = pytest.mark.repo

CORE = [name for name in FILES if name.startswith("envs/core/")]
ROOT_PACKAGE = [name for name in FILES if name.startswith("envs/_root/")]
"""What lies in `envs/` and is of the package ``econzoo`` itself: its face and the command line."""

LIBRARY = [name for name in FILES if name not in ROOT_PACKAGE]

NETWORKS = {"baselines/policy_network.py"}
"""Modules whose classes are torch's own kind; they are imported within functions only."""

HEAVY = {"torch", "transformers", "trl", "peft", "accelerate", "datasets", "stable_baselines3", "sb3_contrib", "numba"}


def layer(name: str) -> int:
    return LAYERS.index(module_of(name).split(".")[1])


def backward(name: str, tree: ast.AST) -> list[str]:
    """Imports of a later layer."""
    later = {f"econzoo.{other}" for other in LAYERS[layer(name) + 1 :]}
    return [f"{name}:{n} imports {m}" for n, m in imports(tree, name) if ".".join(m.split(".")[:2]) in later]


def test_imports_go_one_way() -> None:
    assert [wrong for name in LIBRARY for wrong in backward(name, tree_of(name))] == []


def test_the_library_is_imported_by_its_name() -> None:
    found = [(f"{name}:{n} imports {m}", m) for name in LIBRARY for n, m in imports(tree_of(name), name)]
    assert [where for where, m in found if m.split(".")[0] in LAYERS] == [], "write econzoo.envs..., never envs..."


def test_the_root_package_needs_the_environments_only() -> None:
    """What is above them is imported by name, when it is asked for."""
    above = {f"econzoo.{other}" for other in LAYERS[1:]}
    found = [(name, m) for name in ROOT_PACKAGE for _, m in at_import(tree_of(name))]
    assert [(name, m) for name, m in found if ".".join(m.split(".")[:2]) in above] == []


def test_heavy_libraries_are_not_imported_with_a_module() -> None:
    found = [(name, n, m) for name in FILES for n, m in at_import(tree_of(name)) if not name.startswith("train/")]
    found = [one for one in found if one[0] not in NETWORKS]
    assert [f"{name}:{n} imports {m}" for name, n, m in found if m.split(".")[0] in HEAVY] == []


def test_environments_never_import_torch() -> None:
    found = [(name, m) for name in FILES if name.startswith("envs/") for _, m in imports(tree_of(name))]
    heavy = [(name, m) for name, m in found if m.split(".")[0] in HEAVY]
    assert [
        (name, m) for name, m in heavy if m.split(".")[0] != "numba" or not name.startswith("envs/core/vector/")
    ] == []


# The core knows no game


def words(identifier: str) -> set[str]:
    """``Acceptor_rule2`` -> {acceptor, rule}."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", identifier)}


def game_words() -> set[str]:
    """Names of all games and of their kinds of move."""
    games = [econzoo.game(name) for name in econzoo.games()]
    found = {word for game in games for name in (game.name, *game.actions.names) for word in words(name)} | {"bargain"}
    found = {word for word in found if len(word) > 1}  # moves may be letters, as loop variables are
    # Of opt_out, coin_game, code_reading, ...: words of any program.
    usual = {"out", "say", "game", "up", "down", "left", "right", "code", "yes", "no", "probability", "multi", "public"}
    return found - usual - {"assign"}


def identifiers(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        for field in ("id", "attr", "name", "arg", "asname"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                yield line, value


def quoted_games(tree: ast.AST) -> list[str]:
    """Strings that are the name of a game (texts that mention one in passing are none)."""
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and node.value in econzoo.games()]


def test_the_core_knows_no_game() -> None:
    known = game_words()
    assert {"offer", "accept", "bargaining"} <= known
    assert [f"{name}:{n} {i}" for name in CORE for n, i in identifiers(tree_of(name)) if words(i) & known] == []
    found = [(name, m) for name in CORE for _, m in imports(tree_of(name), name)]
    assert [(name, m) for name, m in found if m.startswith(("econzoo.envs.games", "econzoo.envs.families"))] == []
    assert [(name, game) for name in CORE for game in quoted_games(tree_of(name))] == []


BASE_GAMES = {"program_matrix": ("matrix",), "program_coin": ("coin_game",)}
"""Games that are played on top of others."""


def other_games(name: str) -> list[str]:
    """Modules of other games that a file of a game imports."""
    own = "econzoo." + "/".join(name.split("/")[:3]).replace("/", ".").removesuffix(".py")
    known = (own, *[f"econzoo.envs.games.{base}" for base in BASE_GAMES.get(own.rpartition(".")[2], ())])
    found = [m for _, m in imports(tree_of(name), name) if m.startswith("econzoo.envs.games.")]
    return [f"{name} imports {m}" for m in found if not m.startswith(known)]


def test_games_do_not_know_each_other_and_families_know_none() -> None:
    inside = [name for name in FILES if name.startswith(("envs/games/", "envs/families/"))]
    assert [wrong for name in inside for wrong in other_games(name)] == []


# The rooms of the core

ROOMS = {"contract": 0, "faces": 1, "env": 2, "record": 3, "vector": 3}
"""Rooms of `envs/core/`, by floor: a module imports from lower floors and its own room."""


def room_of(module: str) -> str | None:
    """The room of a module of the core; None for the few that stand beside the rooms."""
    room = module.removeprefix("econzoo.envs.core.").partition(".")[0]
    return room if module.startswith("econzoo.envs.core.") and room in ROOMS else None


def upstairs(name: str) -> list[str]:
    """Imports of a module of the core from its own floor or above it, its own room left out."""
    own = room_of("econzoo." + name.removesuffix(".py").replace("/", "."))
    found = [(m, room_of(m)) for _, m in imports(tree_of(name), name)]
    return [f"{name} imports {m}" for m, room in found if own and room not in (None, own) and ROOMS[room] >= ROOMS[own]]


def test_rooms_of_the_core_import_from_lower_floors() -> None:
    assert {room_of(f"econzoo.envs.core.{room}.x") for room in ROOMS} == set(ROOMS)
    assert [wrong for name in CORE for wrong in upstairs(name)] == []


def test_modules_of_the_core_stand_in_rooms() -> None:
    beside = {name.removeprefix("envs/core/") for name in CORE if name.count("/") == 2}
    assert beside == {"__init__.py", "amounts.py", "extras.py", "files.py", "plurals.py", "registry.py"}


# Rooms have faces


def rooms_with_faces() -> list[str]:
    packages = [module_of(name) for name in FILES if name.endswith("__init__.py")]
    return [package for package in packages if face_of(package)]


def past_the_face(name: str, tree: ast.AST, rooms: Collection[str]) -> list[str]:
    """Imports from a module of another room, beside its face."""
    own = module_of(name) if name.endswith("__init__.py") else module_of(name).rpartition(".")[0]
    modules = {module_of(file) for file in FILES if not file.endswith("__init__.py")}
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    named = [str(node.module) for node in nodes]
    named += [f"{n.module}.{a.name}" for n in nodes for a in n.names if a.name not in face_of(str(n.module))]
    return [f"{name} imports {m}" for m in named if m in modules and m.rpartition(".")[0] in {*rooms} - {own}]


def test_what_lies_in_a_room_is_imported_from_its_face() -> None:
    rooms = set(rooms_with_faces())
    assert len(rooms) > 40
    assert [wrong for name in FILES for wrong in past_the_face(name, tree_of(name), rooms)] == []


def test_faces_give_what_others_use() -> None:
    """Or what users do: the names that a face has in its `__all__`."""
    used = {m for name in FILES for _, m in imports(tree_of(name), name)}
    given = {f"{room}.{name}" for room in rooms_with_faces() for name in set(face_of(room)) - public_names(room)}
    assert sorted(given - used) == []


# Random numbers

GENERATORS = {"default_rng", "Generator", "SeedSequence", "BitGenerator", "PCG64", "Philox", "RandomState"}
OWN = {"Random", "SystemRandom", "getstate"}
LOOKED_AT = {"get_state"}
"""To see whether somebody else drew from them."""
SWAPPED = "evaluate/adapters/generators.py"
"""Lends states of its own to a library that draws from them, and puts theirs back."""


def global_draws(tree: ast.AST) -> list[str]:
    """Uses of the generators that everybody shares: `random.X`, `np.random.X`."""
    out = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            text = ast.unparse(node)
            shared = re.fullmatch(r"(?:np|numpy)\.random\.(\w+)", text)
            plain = re.fullmatch(r"random\.(\w+)", text)
            if (shared and shared[1] not in GENERATORS | LOOKED_AT) or (plain and plain[1] not in OWN):
                out.append(f"line {node.lineno}: {text}")
        if isinstance(node, ast.ImportFrom) and node.module in ("random", "numpy.random"):
            names = [alias.name for alias in node.names if alias.name not in GENERATORS | OWN]
            out += [f"line {node.lineno}: from {node.module} import {name}" for name in names]
    return out


def test_nobody_draws_from_a_shared_generator() -> None:
    found = [f"{name}, {wrong}" for name in FILES if name != SWAPPED for wrong in global_draws(tree_of(name))]
    assert found == []


# The rooms of evaluation and of what people see

FLOORS = {
    "evaluate": ("serving", "stats", "show", "run", "formats", "analyses", "suites", "adapters", "commands"),
    "people": (
        *("texts", "server", "study", "table", "participation", "manage", "otree", "bots"),
        *("table_server", "study_server", "commands"),
    ),
}
"""Rooms of a layer, and modules beside them: each imports from those before its own, and from its own."""

MOST_ARROWS = 25
"""Between the rooms of evaluation."""


def floor_of(module: str) -> tuple[str, str] | None:
    """Layer and room of a module; None: its layer has no floors, or it is the layer itself."""
    _, layer, room, *_ = *module.split("."), "", ""
    return (layer, room) if room in FLOORS.get(layer, ()) else None


def arrows_of(name: str, tree: ast.AST) -> set[tuple[str, str]]:
    """From the room of a file to those of its layer that it imports from."""
    own, found = floor_of(module_of(name)), {floor_of(m) for _, m in imports(tree, name)}
    return {(own[1], other[1]) for other in found if own and other and own != other and own[0] == other[0]}


@pytest.mark.parametrize("layer", FLOORS)
def test_rooms_import_from_lower_floors(layer: str) -> None:
    inside = [name for name in FILES if name.startswith(f"{layer}/")]
    assert {name.split("/")[1].removesuffix(".py") for name in inside} == {*FLOORS[layer], "__init__"}
    arrows = {arrow for name in inside for arrow in arrows_of(name, tree_of(name))}
    assert [(a, b) for a, b in arrows if FLOORS[layer].index(a) < FLOORS[layer].index(b)] == []


def test_rooms_of_evaluation_know_few_others() -> None:
    arrows = {arrow for name in FILES if name.startswith("evaluate/") for arrow in arrows_of(name, tree_of(name))}
    assert len(arrows) <= MOST_ARROWS


WEB = {"starlette", "uvicorn", "jinja2"}


def test_studies_are_planned_and_exported_without_a_server() -> None:
    graph = import_graph()
    rooms = [module_of(name) for name in FILES if name.startswith(("people/study/", "people/otree/"))]
    study = {one for module in rooms for one in whole(module, graph)}
    files = {module_of(name): name for name in FILES}
    found = [(one, m) for one in study for _, m in at_import(tree_of(files[one]))]
    assert [(one, m) for one, m in found if m.split(".")[0] in WEB] == []


WORKERS = {"people/manage/forecast.py", "people/manage/summaries.py"}
"""What a server starts as a process of its own."""


def test_only_the_command_line_and_workers_have_a_main() -> None:
    mains = {
        name
        for name in FILES
        if any("__main__" in ast.unparse(n.test) for n in tree_of(name).body if isinstance(n, ast.If))
    }
    assert mains == {"envs/_root/__main__.py", *WORKERS}


def test_nobody_imports_commands() -> None:
    commands = [module_of(name) for name in FILES if name.split("/")[1] == "commands"]
    outside = [name for name in FILES if name.split("/")[1] != "commands"]
    found = [(f"{name}:{n}", m) for name in outside for n, m in imports(tree_of(name), name)]
    assert [(where, m) for where, m in found if m in commands] == []


# Nothing needs itself


def test_no_circle_of_imports() -> None:
    """Imports inside of functions count, and those for annotations."""
    TopologicalSorter(import_graph(lazy=True, typing=True)).prepare()


def words_of(tree: ast.AST) -> Iterator[str]:
    """Names that a file uses, those in ``"module:Name"`` too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            yield node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.rpartition(":")[2]


def split_classes(trees: Mapping[str, ast.Module]) -> list[str]:
    """Classes that are named nowhere but as the base of one class in another file."""
    uses = Counter(word for tree in trees.values() for word in words_of(tree))
    homes = {node.name: name for name, tree in trees.items() for node in tree.body if isinstance(node, ast.ClassDef)}
    classes = (
        (name, node) for name, tree in trees.items() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    )
    bases = ((name, ast.unparse(base).partition("[")[0]) for name, node in classes for base in node.bases)
    return [base for name, base in bases if uses[base] == 1 and homes.get(base, name) != name]


def test_no_class_is_split_between_files() -> None:
    assert split_classes({name: tree_of(name) for name in FILES}) == []


LONGEST_CHAIN = 24
"""Modules of which each imports the next one, at most."""


def longest_chain(graph: dict[str, set[str]]) -> list[str]:
    """The longest list of modules of which each imports the next one."""
    chains: dict[str, list[str]] = {}
    for module in TopologicalSorter(graph).static_order():
        below = [chains[one] for one in graph.get(module, ()) if one in graph]
        chains[module] = [module, *max(below, key=len, default=[])]
    return max(chains.values(), key=len)


def test_no_chain_of_imports_is_long() -> None:
    """Who reads a module has little to read below it. Imports inside of functions count, and those for annotations."""
    assert len(longest_chain(import_graph(lazy=True, typing=True))) <= LONGEST_CHAIN


LIGHT = {"econzoo", "numpy", "gymnasium", "pettingzoo", "typing_extensions", "typer", *sys.stdlib_module_names}
"""What a module may import at its top and be imported at the top of others."""


def whole(module: str, graph: dict[str, set[str]]) -> set[str]:
    """A module and all that is imported with it."""
    found = {module}
    while more := {m for one in found for m in graph[one]} - found:
        found |= more
    return found


def is_heavy(module: str, files: dict[str, str], graph: dict[str, set[str]]) -> bool:
    """Whether a large or an optional library is imported with a module."""
    found = {m.split(".")[0] for one in whole(module, graph) for _, m in at_import(tree_of(files[one]))}
    return not found <= LIGHT


def test_functions_import_heavy_things_alone() -> None:
    """What else is needed stands at the top, but where commands are put together and in what `import econzoo` loads."""
    files, graph, own = {module_of(name): name for name in FILES}, import_graph(), import_graph(lazy=True)
    light = whole("econzoo", graph)
    assembly = {m for m, name in files.items() if "/commands/" in name or name.endswith("__main__.py")}
    assembly |= {m for m, name in files.items() if name in ROOT_PACKAGE}
    found = [(m, one) for m in files if m not in light | assembly for one in own[m] - graph[m]]
    assert [(m, one) for m, one in found if not is_heavy(one, files, graph)] == []


# These tests can fail


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import econzoo.train.rl.ppo", 1),
        ("from econzoo.evaluate import match", 2),
        ("def f():\n    from econzoo import train", 1),
        ("from econzoo.envs import core", 0),
        ("import econzoo.wrappers", 0),
        ("from ..evaluate import match", 2),
        ("from .evaluate import match", 0),
    ],
)
def test_a_backward_arrow_is_found(source: str, found: int) -> None:
    assert len(backward("baselines/x.py", ast.parse(source))) == found


def test_a_way_past_a_face_is_found() -> None:
    rooms = {"econzoo.evaluate.show"}
    source = ast.parse(
        "from econzoo.evaluate.show.parts import Table\nfrom econzoo.evaluate.show import Page, terminal"
    )
    assert len(past_the_face("evaluate/run/x.py", source, rooms)) == 2
    assert past_the_face("evaluate/show/x.py", source, rooms) == []


def test_an_arrow_between_rooms_is_found() -> None:
    source = ast.parse(
        "from econzoo.evaluate.run.design import Design\ndef f():\n    import econzoo.evaluate.show.page"
    )
    assert arrows_of("evaluate/stats/x.py", source) == {("stats", "run"), ("stats", "show")}
    assert arrows_of("people/study/x.py", source) == set()


def test_a_class_that_is_split_between_files_is_found() -> None:
    base, child = "class Base:\n    pass\n", "class Child(Base[int]):\n    pass\n"
    assert split_classes({"a.py": ast.parse(base), "b.py": ast.parse(child)}) == ["Base"]
    assert split_classes({"a.py": ast.parse(base + child)}) == []
    assert split_classes({"a.py": ast.parse(base), "b.py": ast.parse(child + "Base()")}) == []


def test_the_longest_chain_is_found() -> None:
    assert longest_chain({"a": {"b", "d"}, "b": {"c"}, "c": set(), "d": {"left out"}}) == ["a", "b", "c"]


def test_what_runs_at_import_is_told_from_what_does_not() -> None:
    source = "import torch\nif TYPE_CHECKING:\n    import trl\ndef f():\n    import numba\nclass A:\n    import peft\n"
    assert {m for _, m in at_import(ast.parse(source))} == {"torch", "peft"}
    assert {m for _, m in at_import(ast.parse(source), lazy=True)} == {"torch", "numba", "peft"}
    assert {m for _, m in at_import(ast.parse(source), typing=True)} == {"torch", "trl", "peft"}


@pytest.mark.parametrize(
    "source", ["np.random.seed(1)", "numpy.random.rand()", "random.random()", "from random import choice"]
)
def test_a_shared_generator_is_found(source: str) -> None:
    assert len(global_draws(ast.parse(source))) == 1


def test_an_own_generator_is_no_shared_one() -> None:
    assert global_draws(ast.parse("rng = np.random.default_rng(1)\nrng.random()\nself.np_random.random()")) == []


def test_words_of_identifiers() -> None:
    assert words("OfferMove") == {"offer", "move"}
    assert words("is_accepted") & {"accept"} == set()
    assert words("ACCEPT_ALL") == {"accept", "all"}
