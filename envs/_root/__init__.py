"""EconZoo: economic games for agents that talk, trade and commit.

Language models, reinforcement-learning agents, scripted players and people sit at the same table:

    import econzoo

    env = econzoo.make("bargaining", delta=(0.9, 0.8), face="structured")     # a PettingZoo environment
    record = econzoo.play("bargaining", ["spe", "fair"], seed=1)              # a whole match
    records = econzoo.run(new_design("bargaining", ["spe", "fair"]), "runs/first")   # all matches of a design
    econzoo.analyze(records).show()                                           # tables, figures, a page
    envs = econzoo.make_vec("bargaining", num_envs=10_000)                    # compiled: many games in one step

Importing this package registers every game in Gymnasium (``econzoo/Bargaining-v0``) and PettingZoo
(``econzoo/bargaining-v0``) and imports no heavy library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from econzoo.envs import register_all
from econzoo.envs.constructors import make, make_parallel, make_raw, make_vec
from econzoo.envs.core.registry import game, games, register_game, register_players

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from econzoo.baselines.player import Player
    from econzoo.envs.core.record.record import Record
    from econzoo.evaluate.run.design import Design
    from econzoo.evaluate.run.records import Records
    from econzoo.evaluate.show.page import Page

__version__ = "0.1.0"
__all__ = [
    "__version__",
    "analyze",
    "game",
    "games",
    "make",
    "make_parallel",
    "make_raw",
    "make_vec",
    "play",
    "player",
    "register_game",
    "run",
]

register_all()
register_players("econzoo.baselines.factory:player")


def play(game_name: str, players: Sequence[str | Player], /, seed: int = 0, **params: Any) -> Record:
    """Plays one match.

    Args:
        game_name: For example ``"bargaining"``.
        players: One spec (``"spe"``, ``"boulware(0.2)"``, ``"hf:smollm2"``, ...) or `Player` for each seat.
        seed: Of nature and of every player.
        **params: Parameters of the game, and those options of the environment that records keep (``metrics``, say).

    Returns:
        The record: every turn, the payoffs and the metrics.

    Raises:
        ValueError: Unknown game, spec or parameter, or a wrong number of players.
    """
    from econzoo.evaluate.run.match import play_match

    return play_match(game_name, players, seed=seed, **params)


def run(
    design: Design | Mapping[str, Design],
    out: str | Path,
    /,
    jobs: int | None = None,
    engine: str = "local",
    ray_address: str | None = None,
) -> Records:
    """Plays what is missing of a design.

    Args:
        design: See `econzoo.evaluate.run.design.new_design`; or several by their folders in `out`.
        out: Folder of the records; a run that was stopped goes on.
        jobs: Processes for scripted players, >= 1; None: as many as are worth it.
        engine: ``"local"``, or ``"ray"``: on a Ray cluster.
        ray_address: Of the cluster; ``"auto"``: that of this machine; None: a new one on this machine.

    Returns:
        All records of the folder.

    Raises:
        StoppedError: Too many matches in a row have failed, or all there were.
        ValueError: A player or the engine is unknown, or the folder holds another design.
    """
    from pathlib import Path

    from econzoo.evaluate.run.design import Design
    from econzoo.evaluate.run.engines import open_engine
    from econzoo.evaluate.run.records import read_records
    from econzoo.evaluate.run.tournament import run as play_design

    designs = {".": design} if isinstance(design, Design) else design
    with open_engine(engine, ray_address):
        for name, one in designs.items():
            play_design(one, Path(out) / name, jobs)
    return read_records(out)


def analyze(records: Records | str | Path, name: str = "summary", /, **options: Any) -> Page:
    """What records say, as tables, figures and texts.

    Args:
        records: See `run`; or their folder or file.
        name: Of an analysis, see `econzoo.evaluate.analyses.analyze.ANALYSES`.
        **options: Of the analysis.

    Returns:
        A page: ``show()`` prints it, ``write(folder)`` writes HTML and files, ``to_dict()`` has all numbers.

    Raises:
        ValueError: The name or an option is not allowed, or no record can be used.
        FileNotFoundError: There are no records.
    """
    from econzoo.evaluate.analyses.analyze import analyze as make_page

    return make_page(records, name, **options)


def player(spec: str) -> Player:
    """The player of a spec; see `econzoo.baselines`.

    Raises:
        ValueError: Unknown spec; the message lists the known ones.
    """
    from econzoo.baselines.factory import player as make_player

    return make_player(spec)
