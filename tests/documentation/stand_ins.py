"""What a reader has and an empty folder lacks: published games, files of one's own, a model server, a large model.

Each stand-in is a function that puts something into the folder of the page, or gives the words and variables that the
commands of one block run with.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import mkdtemp
from types import MappingProxyType
from typing import Any, NamedTuple

from documentation.blocks import ROOT

ALYMPICS = "Alympics/exp/WAC/records"


class Given(NamedTuple):
    """What the commands of a block run with.

    Attributes:
        environment: Variables.
        words: What stands in place of a word of the page.
    """

    environment: Mapping[str, str] = MappingProxyType({})
    words: Mapping[str, str] = MappingProxyType({})


def glee(folder: Path) -> Given:
    """Handmade games in GLEE's form, of each family, with a person in some."""
    import glee_files

    deal = ((60, 40, "Hello"), "reject", (45, 55, "Rather this"), "accept")
    glee_files.with_person(glee_files.bargaining(*deal)).save(folder / "GLEE/Data", "AA" * 10)
    glee_files.with_person(glee_files.negotiation((11_000, "Fair."), "AcceptOffer")).save(
        folder / "GLEE/Data", "BB" * 10
    )
    glee_files.persuasion(*glee_files.REPEATED).save(folder / "GLEE/Data", "CC" * 10)
    return Given()


def alympics(folder: Path) -> Given:
    """Handmade games in ALYMPICS' form, packed as they are published."""
    import alympics_files

    loose = folder / ALYMPICS
    for number in (1, 2, 5):
        alympics_files.by_the_rules().save(loose, f"WAC_nopersona_3_7_{number}")
    shutil.make_archive(str(loose), "zip", loose)
    shutil.rmtree(loose)
    return Given()


def own_program(folder: Path) -> Given:
    """The shortest program."""
    (folder / "my_program.py").write_text("def strategy_function(mine, theirs, my_code, their_code):\n    return 'C'\n")
    return Given()


def own_package(folder: Path) -> Given:
    """A package with a game, which need not be a new one."""
    (folder / "my_package").mkdir(exist_ok=True)
    (folder / "my_package" / "ultimatum.py").write_text(
        "from dataclasses import replace\n"
        "from econzoo.envs.games import bargaining\n"
        "GAME = replace(bargaining.GAME, name='ultimatum')\n"
    )
    (folder / "my_package" / "players.py").write_text("from econzoo.baselines.bargaining import PLAYERS\n")
    return Given()


def payoffs(folder: Path) -> Given:
    """Rock, paper, scissors."""
    rows = ["type,rock,paper,scissors", "rock,0,-1,1", "paper,1,0,-1", "scissors,-1,1,0"]
    (folder / "payoffs.csv").write_text("\n".join(rows))
    return Given()


def own_matches(folder: Path) -> Given:
    """Matches between every two of three players."""
    import econzoo
    from econzoo.envs.core.record import RecordFile

    file = RecordFile(folder / "runs/first/records.jsonl")
    for pair in product(("fair", "spe", "linear"), repeat=2):
        file.append(econzoo.play("bargaining", pair, seed=1))
    return Given()


def repository(folder: Path) -> Given:
    """The parts of the repository that a command starts or reads."""
    for part in ("benchmarks", "docs", ".ci", "pyproject.toml"):
        if not (folder / part).exists():  # an earlier block may have had it too
            (folder / part).symlink_to(ROOT / part)
    return Given()


@cache
def small_cache() -> Path:
    """A cache folder with a small random Llama in place of SmolLM2; the rest is the machine's."""
    from tiny_llama import build

    from econzoo.baselines.models.smollm2 import smollm2_folder
    from econzoo.envs.core import cache_folder

    small = Path(mkdtemp(prefix="documented-models-"))
    if cache_folder().exists():
        for entry in cache_folder().iterdir():
            (small / entry.name).symlink_to(entry)
    (small / smollm2_folder().name).unlink(missing_ok=True)
    build(small / smollm2_folder().name, context=4096, layers=8)
    return small


def random_model(folder: Path) -> Given:
    """In place of SmolLM2 one that answers at random, within the schema that it is asked with."""
    return Given({}, {"hf:smollm2": "mock:*"})


def random_gguf(folder: Path) -> Given:
    """The same for SmolLM2 by llama.cpp."""
    return Given({}, {"gguf:smollm2": "mock:*"})


def small_model(folder: Path) -> Given:
    """In place of SmolLM2 one with weights, which can be trained."""
    return Given({"ECONZOO_CACHE": str(small_cache()), "TOKENIZERS_PARALLELISM": "false"})


@contextmanager
def server(folder: Path) -> Iterator[Given]:
    """A server on this machine that answers with something that the schema of the question allows."""
    import numpy as np
    from local_server import Answer, LocalServer, reply
    from strict_answers import fitting_answer

    def answer(request: dict[str, Any]) -> Answer:
        schema = request.get("response_format", {}).get("json_schema", {}).get("schema")
        return reply(json.dumps(fitting_answer(schema, np.random.default_rng(0))) if schema else "Let me see.")

    with LocalServer(judge=answer) as running:
        key = {"OPENAI_API_KEY": os.environ.get("OPENAI_API_KEY", "none")}
        yield Given(key, {"MODEL@URL": f"MODEL@{running.url}", "URL": running.url})


STAND_INS: dict[str, Callable[[Path], Any]] = {
    "GLEE/Data": glee,
    f"{ALYMPICS}.zip": alympics,
    "my_program.py": own_program,
    "my_package": own_package,
    "payoffs.csv": payoffs,
    "runs/first": own_matches,
    "the repository": repository,
    "hf:smollm2": random_model,
    "gguf:smollm2": random_gguf,
    "hf:smollm2 with weights": small_model,
    "openai:MODEL@URL": server,
}
