"""EconZoo: economic games for agents that talk, trade and commit.

Language models, reinforcement-learning agents, scripted players and people sit at the same table:

    import econzoo
    from econzoo.evaluate import new_design

    env = econzoo.make("bargaining", delta=(0.9, 0.8), face="structured")     # a PettingZoo environment
    record = econzoo.play("bargaining", ["spe", "fair"], seed=1)              # one match
    records = econzoo.run(new_design("bargaining", ["spe", "fair"]), "runs/first")   # all matches of a design
    econzoo.analyze(records).show()                                           # tables, figures, a page
    envs = econzoo.make_vec("bargaining", num_envs=10_000)                    # compiled: many games in one step

Importing this package registers every game in Gymnasium (``econzoo/Bargaining-v0``) and PettingZoo
(``econzoo/bargaining-v0``) and imports no heavy library.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from econzoo.envs import register_all
from econzoo.envs.constructors import make, make_parallel, make_raw, make_vec
from econzoo.envs.core import game, games, register_game, register_players
from econzoo.envs.core.contract import check_arguments, short_repr

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from econzoo.baselines import Player
    from econzoo.envs.core.record import Record
    from econzoo.evaluate.run import Design, Records
    from econzoo.evaluate.show import Page

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
    """Play one match.

    Args:
        game_name: For example ``"bargaining"``.
        players: One spec (``"spe"``, ``"boulware(0.2)"``, ``"hf:smollm2"``, ...) or `Player` for each seat.
        seed: Random seed of the match.
        **params: Game parameters, and recorded environment options such as ``metrics``.

    Returns:
        Record of all turns, payoffs and metrics.

    Raises:
        ValueError: Unknown game, spec or parameter, or wrong number of players.
    """
    from econzoo.evaluate.run import play_match

    return play_match(game_name, players, seed=seed, **params)


@check_arguments
def run(
    design: Design | Mapping[str, Design] | str,
    out: str | Path,
    /,
    players: Sequence[str] | None = None,
    jobs: int | None = None,
    engine: str = "local",
    ray_address: str | None = None,
    **options: Any,
) -> Records:
    """Play the missing matches of a design.

    Args:
        design: See `econzoo.evaluate.run.design.new_design`, or a mapping from subfolder of `out` to design; or the
            name of a game, for a design of the `players` and `options`.
        out: Folder of the records; an interrupted run resumes.
        players: Specs, with the name of a game.
        jobs: Number of processes for scripted players, >= 1; None: chosen automatically.
        engine: ``"local"`` or ``"ray"``.
        ray_address: Address of the Ray cluster; ``"auto"``: the local one; None: start a new one.
        **options: Settings, seeds, opponents and other arguments of `new_design`, with the name of a game.

    Returns:
        All records in the folder.

    Raises:
        StoppedError: Too many consecutive matches failed, or all of them.
        TypeError: Players or options are given for a design.
        ValueError: Unknown player or engine, or the folder contains another design.
    """
    from pathlib import Path

    from econzoo.evaluate.run import Design, new_design, open_engine, read_records
    from econzoo.evaluate.run import run as play_design

    if isinstance(design, str) and players is not None:
        design = new_design(design, players, **options)
    elif options or players is not None:
        raise TypeError(f"run: {', '.join(options) or 'players'} go with the name of a game, or into new_design")
    designs = {".": design} if isinstance(design, Design) else design
    if not isinstance(designs, Mapping) or not all(isinstance(one, Design) for one in designs.values()):
        wanted = "new_design(...), a mapping of such, or the name of a game with players=[...]"
        raise ValueError(f"run: invalid design={short_repr(design)}: expected {wanted}")
    with open_engine(engine, ray_address):
        for name, one in designs.items():
            play_design(one, Path(out) / name, jobs)
    return read_records(out)


@check_arguments
def analyze(
    records: Records | Record | Sequence[Record] | str | Path, name: str = "summary", /, **options: Any
) -> Page:
    """Analyze records; return a page of tables, figures and texts.

    Args:
        records: Result of `run`, one record or several, or a folder or file of records.
        name: Name of an analysis, see `econzoo.evaluate.analyses.analyze.ANALYSES`.
        **options: Options of the analysis.

    Returns:
        Page with methods ``show()`` (print), ``write(folder)`` (HTML and files) and ``to_dict()`` (all numbers).

    Raises:
        ValueError: Unknown name, invalid option, or no usable record.
        FileNotFoundError: There are no records.
    """
    from econzoo.evaluate.analyses import analyze as make_page

    return make_page(records, name, **options)


def player(spec: str) -> Player:
    """Create a player from its spec; see `econzoo.baselines`.

    Raises:
        ValueError: Unknown spec; the message lists the known ones.
    """
    from econzoo.baselines import player as make_player

    return make_player(spec)
