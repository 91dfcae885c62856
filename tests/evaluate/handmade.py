"""Records written by hand, for measures that read nothing else."""

from __future__ import annotations

from econzoo.envs.core import game as find_game
from econzoo.envs.core.record import Record
from econzoo.envs.core.record.record import Turn


def match(game, turns, agreed=False, players=("a", "b"), seed=0, chance=(), status="finished", **params):
    public, _ = find_game(game).params(**params)
    return Record(
        game=game,
        params=public,
        options={},
        seed=seed,
        players=list(players),
        faces=["structured"] * 2,
        rules=[None, None],
        chance=list(chance),
        turns=turns,
        payoffs=[0.0, 0.0],
        metrics={"gains": [0.0, 0.0], "efficiency": None, "fairness": None, "agreed": agreed},
        status=status,
        forfeit=None if status == "finished" else 0,
        errors=[0, 0],
        defaults=[0, 0],
    )


def offers(asked, last="accept", game="bargaining", **more):
    """A match in which the seats ask in turn, in parts of the scale; every answer but the last is a rejection."""
    money = more.get("money", 10_000.0)
    field = {"bargaining": "gain", "negotiation": "price"}[game]
    turns = []
    for i, amount in enumerate(asked):
        move = {"kind": "offer", field: amount * money}
        turns.append(Turn(i % 2, i + 1, move, move))
        answer = {"kind": last if i == len(asked) - 1 else "reject"}
        turns.append(Turn((i + 1) % 2, i + 1, answer, answer))
    return match(game, turns, agreed=last == "accept", **more)


def exchanges(rounds, words=None, **more):
    """A match of persuasion from (good, recommended, bought), one for each round; in words if there are any."""
    turns = []
    for i, (_, recommended, bought) in enumerate(rounds):
        said = {"kind": "recommend" if recommended else "discourage"}
        if words is not None:
            said = {"kind": "say", "message": words[i]} if words[i] else {"kind": "say"}
        done = {"kind": "buy" if bought else "decline"}
        turns += [Turn(0, i + 1, said, said), Turn(1, i + 1, done, done)]
    kind = "binary" if words is None else "text"
    chance = [float(good) for good, _, _ in rounds]
    more = {"rounds": len(rounds), "message_type": kind, **more}
    return match("persuasion", turns, agreed=True, chance=chance, **more)


def value(rows, **wanted):
    """The one row with these fields."""
    found = [row for row in rows if all(getattr(row, name) == value for name, value in wanted.items())]
    assert len(found) == 1, f"{len(found)} rows with {wanted}"
    return found[0]
