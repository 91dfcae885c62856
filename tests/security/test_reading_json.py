"""JSON and TOML from anywhere: one line of error, however deep, long or wrong they are."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from econzoo.baselines import METADATA, read_metadata
from econzoo.baselines.parts.persona import load_personas
from econzoo.envs.core import game, parse_yaml
from econzoo.envs.core.contract import MAX_NESTING, parse_json, parse_toml
from econzoo.envs.core.faces import load_templates
from econzoo.envs.core.files import MAX_ALIASES
from econzoo.envs.core.record import Record, read_record_file
from econzoo.evaluate.analyses.judging import load_rubric
from econzoo.evaluate.formats.alympics.published import read_published_game as read_alympics
from econzoo.evaluate.formats.glee.folders import read_published_game as read_glee
from econzoo.evaluate.run import play_match, read_design, read_latest, read_match, read_settings, replay_file
from econzoo.train.lm.episode_specs import EpisodeSpec
from import_scanner import FILES, tree_of
from refusals import refuses, says


def nested(depth: int, opening: str = "[", closing: str = "]") -> str:
    return opening * depth + closing * depth


def test_json_and_toml_that_are_too_deep_are_refused_in_one_line() -> None:
    for opening, inner in [("[", ""), ('{"a":', "1"), ('[{"a":', "1")]:
        for depth in [MAX_NESTING + 1, 950, 1_100, 100_000]:
            closing = "".join({"[": "]", "{": "}"}[sign] for sign in reversed(opening) if sign in "[{")
            text = opening * depth + inner + closing * depth
            with refuses(ValueError, MAX_NESTING):
                parse_json(text)
            with refuses(ValueError, MAX_NESTING):
                parse_toml(f"a = {nested(depth)}")


def test_what_is_less_deep_is_read() -> None:
    value = parse_json(nested(MAX_NESTING))
    for _ in range(MAX_NESTING - 1):
        (value,) = value
    assert value == []


def test_yaml_is_as_deep_as_json_at_most() -> None:
    assert parse_yaml(nested(MAX_NESTING), "it")
    with refuses(ValueError, MAX_NESTING):
        parse_yaml(nested(MAX_NESTING + 1), "it")


def test_as_many_aliases_as_are_allowed_are_read() -> None:
    text = "a: &a 1\nb: [" + ", ".join(["*a"] * MAX_ALIASES) + "{more}]"
    assert parse_yaml(text.format(more=""), "it")["b"] == [1] * MAX_ALIASES
    with refuses(ValueError, "it", MAX_ALIASES):
        parse_yaml(text.format(more=", *a"), "it")


def test_yaml_holds_nothing_that_holds_itself_and_no_numbers_to_the_base_60() -> None:
    for text, named in [
        ("timesteps: &a [*a]", "*a"),
        ("a: &b {c: [*b]}", "*b"),
        ("timesteps: 1:30", "1:30"),
        ("a: 1:30.5", "1:30.5"),
    ]:
        with refuses(ValueError, "it", named):
            parse_yaml(text, "it")
    assert parse_yaml("a: '1:30'", "it") == {"a": "1:30"}


def test_json_may_be_held_to_finite_numbers() -> None:
    for word in ["NaN", "Infinity", "-Infinity", "1e400"]:
        with refuses(ValueError, word):
            parse_json(f"[{word}]", finite=True)


HOSTILE = {
    "deep lists": nested(100_000),
    "deep objects": nested(100_000, '{"a":', "}"),
    "not closed": "[" * 100_000,
    "as deep as just not read": nested(MAX_NESTING + 1),
    "a number of 5,000 digits": "9" * 5_000,
    "half of it": '{"format":1,"game":"bargai',
    "nothing": "\0",
    "no object": "[1, 2]",
}


def _zipped(path: Path, text: str) -> Path:
    import zipfile

    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(METADATA, text)
    return path


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


READERS = {
    "records": lambda folder, text: list(read_record_file(_written(folder / "records.jsonl", text))),
    "a paused match": lambda folder, text: read_match(_written(folder / "x.match.json", text)),
    "a manifest": lambda folder, text: read_design(_written(folder / "manifest.json", text).parent),
    "markets": lambda folder, text: read_settings(game("bargaining"), _written(folder / "markets.json", text)),
    "answers of judges": lambda folder, text: read_latest(_written(folder / "said.jsonl", text), _refused, "judge"),
    "games of GLEE": lambda folder, text: read_glee(_written(folder / "game/config.json", text).parent),
    "games of ALYMPICS": lambda folder, text: read_alympics(_written(folder / "game.json", text)),
    "policies": lambda folder, text: read_metadata(_zipped(folder / "policy.zip", text)),
    "tickets": lambda folder, text: EpisodeSpec.from_json(text),
    "prompts": lambda folder, text: load_templates(
        game("bargaining").package, _written(folder / "p.toml", f"a = {text}")
    ),
    "personas": lambda folder, text: load_personas(_written(folder / "p.toml", f"a = {text}")),
    "personas in YAML": lambda folder, text: load_personas(_written(folder / "p.yaml", f"a: {text}")),
    "rubrics": lambda folder, text: load_rubric(str(_written(folder / "r.toml", f"a = {text}"))),
}
"""What reads a file that somebody else may have written."""


def _refused(given: object) -> None:
    raise ValueError("nobody's answer")


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_every_reader_refuses_in_one_short_line(read, tmp_path: Path) -> None:
    for name, text in HOSTILE.items():
        with pytest.raises(ValueError) as told:
            read(tmp_path, text)
        assert 0 < len(str(told.value)) < 1_000, name
        assert "\n" not in str(told.value), name


def test_yaml_in_which_ten_lines_stand_for_gigabytes_is_refused(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    lines += ["Ann: {profession: *a11, personality: calm, background: none}"]
    with refuses(ValueError, 10):
        load_personas(_written(tmp_path / "p.yaml", "\n".join(lines)))


def test_a_replayed_file_names_its_deep_line(tmp_path: Path) -> None:
    (line,) = replay_file(_written(tmp_path / "records.jsonl", "[" * 100_000 + "\n"))
    (problem,) = line.problems
    says(problem, "line", MAX_NESTING)


OWN = {
    "envs/core/contract/validation.py": "the readers themselves",
    "envs/core/faces/spaces.py": "what own processes say to each other",
    "envs/games/code_reading/items.py": "comes with the package",
    "evaluate/run/design.py": "what was written by itself",
    "evaluate/analyses/solutions.py": "what was written by itself",
    "train/recipe.py": "a copy of a value",
    "evaluate/analyses/standard/declaration.py": "comes with the package",
    "evaluate/analyses/training_exposure.py": "what was written by itself",
    "people/table/pair_pages.py": "one of the choices of the page itself",
    "people/table/pairs.py": "what was written by itself",
    "baselines/models/llama_cpp_chat.py": "what was written by itself",
    "people/table/store.py": "what the server itself wrote into its database",
    "evaluate/adapters/inspect_task.py": "what was written by itself",
    "evaluate/run/disk_records.py": "what was written by itself",
    "evaluate/analyses/tidy/spool.py": "what was written by itself",
    "envs/core/files.py": "YAML, by a safe loader",
}
"""Modules that read JSON or TOML of their own by Python's readers, and what they read."""


@pytest.mark.repo
def test_nothing_else_reads_json_or_toml_by_itself() -> None:
    reads = re.compile(
        r"^(json|tomllib)\.loads?$|^(pickle|marshal|dill|cloudpickle|joblib|yaml)\.(load|loads|unsafe_load)$"
    )
    modules = re.compile(r"\b(json|tomllib|pickle|marshal|dill|cloudpickle|joblib|yaml)\b")
    found = set()
    for name in FILES:
        if not name.startswith("tests/testing/") and modules.search(FILES[name].read_text(encoding="utf-8")):
            named = (ast.unparse(node) for node in ast.walk(tree_of(name)) if isinstance(node, ast.Attribute))
            found |= {name for one in named if reads.match(one)}
    assert found == set(OWN)


def test_a_number_that_no_float_can_hold_is_refused() -> None:
    for field in ["payoffs", "chance", "seconds"]:
        line = json.loads(play_match("bargaining", ["fair", "fair"]).to_json())
        line[field] = [10**400] * 2 if isinstance(line[field], list) else 10**400
        with refuses(ValueError, field):
            Record.from_json(json.dumps(line))
