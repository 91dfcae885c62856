"""Create players from specs: ``spe``, ``boulware(0.2)``, ``hf:smollm2``, ``ppo:FILE``, ``human``, ..."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from inspect import signature
from pkgutil import resolve_name
from typing import Any
from urllib.parse import parse_qsl

from econzoo.baselines.base import Player
from econzoo.baselines.pools import HELD_OUT_FAMILIES, POOLS, TRAINERS, families
from econzoo.baselines.presets import expand_preset
from econzoo.envs.core import ObjectsByName, added_players, games, iterate_loadable, players_of
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import nearest_names, short_repr
from econzoo.envs.core.record import NATIVE_PREFIXES, identity, split_name

__all__ = ["player"]

Maker = Callable[..., Player]

PREFIXES = ObjectsByName(
    {
        "hf": "econzoo.baselines.model_specs:hf_player",
        "gguf": "econzoo.baselines.model_specs:gguf_player",
        "openai": "econzoo.baselines.model_specs:openai_player",
        **dict.fromkeys(NATIVE_PREFIXES, "econzoo.baselines.model_specs:native_player"),
        "mock": "econzoo.baselines.model_specs:mock_player",
        "http": "econzoo.baselines.http_player:http_player",
        "ppo": "econzoo.baselines.rl_policy:ppo_player",
        "program": "econzoo.baselines.programs.fixed_program:program_player",
        "glee-human": "econzoo.baselines.glee_human:glee_human",
        "axelrod": "econzoo.baselines.axelrod_player:axelrod_player",
    }
)
"""Factories of ``PREFIX:REST`` specs, called with (spec, rest, options)."""

GAME_OF_PREFIX = {"axelrod": "matrix"}
"""Prefixes whose players all play one game."""

ANY_GAME_PLAYERS = ObjectsByName(
    {
        "random": "econzoo.baselines.random_and_mock:RandomPlayer",
        "mock": "econzoo.baselines.random_and_mock:MockPlayer",
        "human": "econzoo.baselines.human:HumanPlayer",
    }
)
"""Players of every game; classes are called with (spec, *arguments)."""

RANDOM_ARGUMENTS = "econzoo.baselines.random_arguments:RandomArgumentsPlayer"

_MODEL = re.compile(r"(?i)\w+:|gpt|chatgpt|o\d|claude|gemini|gemma|llama|mi[sx]tral|qwen|deepseek|grok|phi\W?\d")
"""Names that look like a language model without a prefix."""

_TEXT = re.compile(r"'[^']*'|\"[^\"]*\"")
_CALL = re.compile(r"^(?P<name>[A-Za-z][\w+-]*)(?P<call>\(.*\))?$", re.DOTALL)


def scripted_players(game_name: str) -> Mapping[str, Maker]:
    """Return the scripted players of a game by name, including those added by other packages."""
    module = players_of(game_name)
    own: Mapping[str, Maker] = {} if module is None else module.PLAYERS
    more = added_players(game_name)
    return {**own, **{name: maker for name, maker in more.items() if name not in own}} if more else own


def _scripted_by_game(game_name: str | None) -> Iterable[Mapping[str, Maker]]:
    """Yield the scripted players of a game, or of each game (None)."""
    return iterate_loadable(scripted_players) if game_name is None else [scripted_players(game_name)]


def player(spec: str | Player, game_name: str | None = None) -> Player:
    """Create the player of a spec.

    Args:
        spec: Player spec, such as ``boulware(0.2)``; options of a ``PREFIX:`` player follow a question mark, as in
            ``hf:smollm2?temperature=0``. A label may precede it, ``small=hf:smollm2``, or be an option,
            ``hf:smollm2?name=small``. A `Player` is returned unchanged.
        game_name: Game to play; None: any game with a player of this name.

    Raises:
        ValueError: Unknown spec or invalid arguments.
    """
    if isinstance(spec, Player):
        return spec
    if not isinstance(spec, str) or not spec.strip():
        raise ValueError(f"invalid player {spec!r}: {describe_allowed(game_name)}")
    spec = expand_preset(spec.strip())
    name, bare = split_name(spec)
    if name:
        _check_free(name, spec, game_name)
    player = _make_player(bare, game_name)
    player.spec = spec
    return player


def _make_player(spec: str, game_name: str | None) -> Player:
    """Create the player of a spec without a label."""
    prefix, colon, rest = spec.partition(":")
    if colon and prefix in PREFIXES:
        _check_game(spec, GAME_OF_PREFIX.get(prefix), game_name)
        player = _make_prefixed(spec, prefix, rest)
        _check_game(spec, player.only_game, game_name)
        return player
    return _make_called(spec, game_name)


def _check_free(name: str, spec: str, game_name: str | None) -> None:
    """Raise `ValueError` if a label is the name of another player."""
    taken = game_name is not None and _find(name, game_name) is not None
    if taken or name in ANY_GAME_PLAYERS or name in PREFIXES:
        raise ValueError(f"player {spec[:80]!r}: the name {name!r} is taken by another player")


def check_names(specs: Iterable[str], game_name: str) -> None:
    """Check that the players of a run have unique names."""
    known: dict[str, str] = {}
    names: dict[str, str] = {}
    for spec in dict.fromkeys(specs):
        who, name = identity(spec), split_name(spec).name
        if known.setdefault(who, spec) != spec:
            differ = "only in name, price or connection"
            raise ValueError(f"{known[who]!r} and {spec!r} are the same player (they differ {differ}); keep one")
        if name:
            _check_free(name, spec, game_name)
            if names.setdefault(name, spec) != spec:
                raise ValueError(f"{names[name]!r} and {spec!r} have the same name; give each a unique name")


def _check_game(spec: str, plays: str | None, game_name: str | None) -> None:
    """Raise `ValueError` if a player of one game, or any (None), is requested in another."""
    if game_name is not None and plays not in (None, game_name):
        raise ValueError(f"player {spec!r} plays {plays}, not {game_name}")


def _make_prefixed(spec: str, prefix: str, rest: str) -> Player:
    target, _, query = rest.partition("?")
    if not target:
        raise ValueError(f"invalid player {spec!r}: expected {prefix}:TARGET")
    player = PREFIXES[prefix](spec, target, dict(parse_qsl(query, keep_blank_values=True)))
    assert isinstance(player, Player)
    return player


def maker_of(spec: str, game_name: str | None) -> Maker | None:
    """Return the factory of a spec without label and prefix, or None if unknown; arguments are not checked."""
    match = _CALL.match(spec)
    return _find(match["name"], game_name) if match else None


def _make_called(spec: str, game_name: str | None) -> Player:
    match = _CALL.match(spec)
    maker = maker_of(spec, game_name)
    if match is None or maker is None:
        raise ValueError(describe_unknown(spec, game_name))
    # Quoted text is left out, as it may have a tilde.
    if "~" in _TEXT.sub("", spec):
        return resolve_name(RANDOM_ARGUMENTS)(spec, partial(_make_called, game_name=game_name))
    args, kwargs = arguments(spec, match["call"])
    try:
        signature(maker).bind(spec, *args, **kwargs)
    except TypeError:
        raise ValueError(f"invalid player {spec[:80]!r}: expected {usage(match['name'], maker)}") from None
    try:
        return maker(spec, *args, **kwargs)
    except TypeError as error:  # of a value of another type, or of the constructor's own
        raise ValueError(
            f"invalid player {spec[:80]!r}: expected {usage(match['name'], maker)} with valid values: {error}"
        ) from error


def usage(name: str, maker: Maker) -> str:
    """Format the signature of a spec, such as ``boulware(e=0.2, high=0.9, low=0.2)``."""
    # The first parameter is the spec, which users do not write.
    known = [one for one in list(signature(maker).parameters.values())[1:] if one.kind is not one.KEYWORD_ONLY]
    items = [one.name if one.default is one.empty else f"{one.name}={one.default!r}" for one in known]
    return f"{name}({', '.join(items)})" if items else f"{name} without arguments"


def _find(name: str, game_name: str | None) -> Maker | None:
    if name in ANY_GAME_PLAYERS:
        return ANY_GAME_PLAYERS[name]
    return next((players[name] for players in _scripted_by_game(game_name) if name in players), None)


def is_known_spec(spec: str, game_name: str) -> bool:
    """Whether a game has players of this kind; arguments are not checked and nothing is loaded."""
    spec = split_name(spec).spec
    prefix, colon, rest = spec.partition(":")
    if colon and prefix in PREFIXES:
        return bool(rest) and _may_play(prefix, game_name)
    return maker_of(spec, game_name) is not None


def _may_play(prefix: str, game_name: str | None) -> bool:
    """Whether players of a prefix may play a game (None: any), as far as known without creating one."""
    return game_name is None or GAME_OF_PREFIX.get(prefix) in (None, game_name)


def scripted_name(spec: str) -> str:
    """Return the name at the start of a spec after its label: that of a script, if it is one."""
    return split_name(spec).spec.partition("(")[0].strip()


def seats_of(spec: str, game_name: str) -> tuple[int, ...] | None:
    """Return the seats of a spec's player without creating it; None: all, or an unknown spec."""
    name = scripted_name(spec)
    maker = None if ":" in name else _find(name, game_name)
    return getattr(maker, "seats", None)


def filter_by_seat(game: str, specs: Iterable[str], seat: int) -> list[str]:
    """Return the specs whose player can take a seat."""
    return [spec for spec in specs if player(spec, game).can_take_seat(seat)]


def find_partners(spec: str, game_name: str, specs: Sequence[str]) -> list[str]:
    """Return the specs of a pool that can play with a player, such as buyers with a seller."""
    seats = range(find_game(game_name).facts.seats)

    def takes(one: str) -> set[int]:
        known = seats_of(one, game_name)
        return set(seats) if known is None else set(known)

    return [other for other in specs if any(takes(other) >= set(seats) - {seat} for seat in takes(spec))]


def arguments(spec: str, call: str | None) -> tuple[list[Any], dict[str, Any]]:
    """Parse the literal arguments of ``(0.2, name=1)``."""
    if not call:
        return [], {}
    try:
        # Arguments are read as those of a Python call of some `f`.
        node = ast.parse(f"f{call}", mode="eval").body
        # `(1)(2)` would be a call of what `f(1)` returns, `(1) + 2` no call.
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            raise ValueError
        # `**more` is a keyword without a name.
        if not all(word.arg for word in node.keywords):
            raise ValueError
        return list(map(_literal, node.args)), {str(word.arg): _literal(word.value) for word in node.keywords}
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise ValueError(f"player {spec[:80]!r}: invalid arguments: expected numbers or quoted text") from None


def _literal(node: ast.expr) -> Any:
    """Parse a number, text, or the name of a pool, which needs no quotes."""
    return node.id if isinstance(node, ast.Name) and node.id in POOLS else ast.literal_eval(node)


def is_person(spec: str) -> bool:
    """Whether a spec is a person at this terminal."""
    return scripted_name(spec) == "human"


def refuse_people(specs: Iterable[str], where: str) -> None:
    """Raise `ValueError` if a person is among the specs: nobody plays thousands of matches."""
    for spec in specs:
        if is_person(spec):
            raise ValueError(f"player {spec!r} is not allowed in {where}; use econzoo play")


def describe_unknown(spec: str, game_name: str | None, *more: str) -> str:
    """Return the error message of an unknown spec, with a hint or the nearest names, of players or of `more`."""
    text = _TEXT.sub("", spec)
    name = scripted_name(spec)
    if text.count("(") != text.count(")"):
        return f"invalid player {short_repr(spec)}: unbalanced brackets; expected {name}(NAME=VALUE, ...)"
    names, groups = [*more, *player_names(game_name)], _group_names(game_name)
    unknown = f"unknown player {short_repr(spec)}{f' in {game_name}' if game_name else ''}; "
    elsewhere = [one for one in games() if game_name and _find(name, one)]
    near = [] if elsewhere or name in (*groups, *games()) else nearest_names(name, [*names, *groups])
    if near:
        return f"{unknown}did you mean {near[0]!r}{f', a group {OF_OPPONENTS}' * (near[0] in groups)}?"
    hint = (
        "models are openai:MODEL, openai:MODEL@URL, anthropic:MODEL, google:MODEL, gguf:PATH or hf:PATH; "
        if _MODEL.match(name)
        else ""
    )
    if name in games():
        hint = f"{name!r} is a game; games come before players; "
    elif elsewhere:
        hint = f"{name!r} plays {', '.join(elsewhere)}; "
    elif name in groups:
        hint = f"{name!r} is a group {OF_OPPONENTS}; "
    if game_name is None and len(names) > MAX_LISTED_PLAYERS:
        names[MAX_LISTED_PLAYERS:] = [f"and {len(names) - MAX_LISTED_PLAYERS} others"]
    return f"{unknown}{hint}allowed: {', '.join(names)}{f'; groups {OF_OPPONENTS}: ' * bool(groups)}{', '.join(groups)}"


OF_OPPONENTS = "of opponents in train and evaluate"
"""What pools and families are groups of."""

MAX_LISTED_PLAYERS = 24
"""Names in a message about a player of no particular game, of which there are hundreds."""


def _group_names(game_name: str | None) -> list[str]:
    """Return the names of a game's pools of training and of its families of opponents."""
    if game_name is None:
        return []
    known = getattr(players_of(game_name), "POOLS", {})
    pools = [name for name in TRAINERS if name in known]
    return [*dict.fromkeys([*pools, *families(game_name), *families(game_name, HELD_OUT_FAMILIES)])]


def describe_allowed(game_name: str | None) -> str:
    """Return such as ``expected one of the players of bargaining: ...``."""
    players = "players" if game_name is None else f"players of {game_name}"
    return f"expected one of the {players}: {', '.join(player_names(game_name))}"


def player_names(game_name: str | None = None) -> list[str]:
    """Return the valid starts of specs: scripts of the game, players of all games, and prefixes."""
    names = [name for players in _scripted_by_game(game_name) for name in players]
    return [
        *dict.fromkeys([*names, *ANY_GAME_PLAYERS]),
        *(f"{prefix}:..." for prefix in PREFIXES if _may_play(prefix, game_name)),
    ]


# Readers of messages


READER = "reader"
"""Argument of a scripted player with the spec of its reader."""


def add_reader(specs: Iterable[str], game_name: str, reader: str | None) -> list[str]:
    """Add a reader to every scripted player that uses one and has none.

    Args:
        reader: Spec of a language model; None: no change.
    """
    return [
        spec if reader is None or not reads_keywords(spec, game_name) else _add_reader_argument(spec, reader)
        for spec in specs
    ]


def players_with_reader(game_name: str) -> list[str]:
    """Return the scripted players of a game that can have a reader."""
    return [name for name, maker in scripted_players(game_name).items() if READER in signature(maker).parameters]


def check_reader(reader: str | None, specs: Iterable[str], game_name: str) -> None:
    """Raise `ValueError` if no player uses the reader."""
    if reader is None or any(reads_keywords(spec, game_name) for spec in specs):
        return
    names = ", ".join(players_with_reader(game_name))
    users = f"expected one of {names}" if names else f"no script of {game_name} reads messages"
    raise ValueError(f"--reader {reader[:80]!r} is not used by any player: {users}")


def _add_reader_argument(spec: str, reader: str) -> str:
    label, written = split_name(spec)
    name, _, rest = written.partition("(")
    inside = rest.rpartition(")")[0].strip()
    return f"{label + '=' if label else ''}{name}({inside + ', ' if inside else ''}{READER}={reader!r})"


# Analyses ask for every seat of every record; few specs differ.
@lru_cache(maxsize=4096)
def reads_keywords(spec: str, game_name: str) -> bool:
    """Whether the player of a spec is a script that reads messages by keywords, without a reader."""
    try:
        wanted = scripted_name(spec) in players_with_reader(game_name)
        made: Player | None = player(spec, game_name) if wanted else None
    except ValueError:  # no spec of ours
        return False
    return made is not None and getattr(made, READER) is None
