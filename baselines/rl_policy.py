"""Policies trained by reinforcement learning as players: ``ppo:FILE`` and ``ppo:FILE?deterministic=0``.

A policy file is a Stable-Baselines3 zip with one more entry, ``econzoo.json``, that says what the policy was
trained for. The player reads structured observations and answers with structured moves: it turns them into the
numbers that its policy knows and back, so that it plays at any table, whatever grid it was trained on.
"""

from __future__ import annotations

import io
import pickle
import zipfile
import zlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from econzoo.baselines.player import Player, SeatInfo
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.validation import Invalid, from_json, short
from econzoo.envs.core.extras import needed_for
from econzoo.envs.core.faces.numeric_face import NumericFace
from econzoo.envs.core.faces.structured_face import Seen, seen_from_structured
from econzoo.envs.core.registry import game as find_game

ALGORITHMS = ("maskable", "ppo")

METADATA = "econzoo.json"
"""Entry of the zip that says what a policy was trained for."""

WEIGHTS, OPTIMIZER = "policy.pth", "policy.optimizer.pth"
"""Entries with the tensors of the network and of its optimiser."""

LONGEST_METADATA = 10**7
MOST_FEATURES, MOST_UNITS = 10**6, 2**16

POLICY = "policy.zip"
"""File name of a finished training; a folder that has one stands for it."""

FORMAT = 2
KEYS = (
    *("format", "game", "version", "numeric_version", "seats", "features", "grid"),
    *("algorithm", "net", "timesteps", "args", "met"),
)
"""What the metadata has: see `metadata_of`."""

LATER = {"numeric_version": 0, "met": None}
"""What keys mean that older files do not have."""


def metadata_of(
    game: Game,
    grid: int,
    algorithm: str,
    net: Sequence[int],
    timesteps: int,
    args: Any,
    params: Any = None,
    met: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What a policy file says about itself.

    Args:
        game: The game; its name, the versions of its rules and its numeric face, number of seats and the names of its
            features are kept.
        grid: Amounts per kind of move that the policy chooses from.
        algorithm: ``"maskable"`` or ``"ppo"`` (which may choose what is not legal).
        net: Units of the hidden layers.
        timesteps: Moves of the learner it was trained for.
        args: All arguments of the training (seat, opponents, markets, objective, ...), as JSON can keep them.
        params: The rules' parameters of a market that it was trained in, on which seats and features depend; None:
            the default ones.
        met: What it has met in training, as `econzoo.evaluate.met.Met` has it; None: nobody wrote that down.
    """
    params = game.params()[1] if params is None else params
    seats, features = game.seats(params), list(game.feature_names(params))
    about = (FORMAT, game.name, game.version, game.numeric_version, seats, features, grid)
    return dict(zip(KEYS, (*about, algorithm, list(net), timesteps, args, met), strict=True))


def policy_path(file: str | Path) -> Path:
    """The policy file; a folder stands for the one in it.

    Raises:
        FileNotFoundError: There is none.
    """
    path = Path(file).expanduser()
    path = path / POLICY if path.is_dir() else path
    if not path.is_file():
        raise FileNotFoundError(f"no policy file at {path}; make one with: econzoo train ppo GAME --out FOLDER")
    return path


def read_metadata(file: str | Path) -> dict[str, Any]:
    """What a policy was trained for; see `metadata_of`.

    Raises:
        FileNotFoundError: No such file.
        ValueError: The file is no policy of ours.
    """
    path = policy_path(file)
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo(METADATA).file_size > LONGEST_METADATA:
                raise ValueError(f"{METADATA} is longer than {LONGEST_METADATA:,} bytes")
            metadata = from_json(archive.read(METADATA))
    except (*_NO_ZIP, ValueError) as error:
        raise ValueError(f"{path} is not a policy file, or only half of one: {error}") from None
    except KeyError:
        raise ValueError(f"{path} has no {METADATA}: it was not saved by 'econzoo train ppo'") from None
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT or set(KEYS) - {*metadata, *LATER}:
        raise ValueError(f"{path} has a {METADATA} of another format than {FORMAT}")
    metadata = {**LATER, **metadata}
    for key, (fits, allowed) in _KINDS.items():
        if not fits(metadata[key]):
            raise ValueError(f"{path}: {key} is {short(metadata[key])} in its {METADATA}; allowed: {allowed}")
    return metadata


_NO_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
"""What reading a zip that is none, or is damaged, packed otherwise or encrypted, raises."""


def _is_count(value: Any, most: int = 2**62) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _is_list(value: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and len(value) <= MOST_FEATURES and all(map(fits, value))


_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "game": (lambda value: isinstance(value, str), "a name"),
    "features": (lambda value: _is_list(value, lambda one: isinstance(one, str)), "a list of names"),
    "grid": (_is_count, "a whole number"),
    "met": (lambda value: value is None or isinstance(value, dict), "an object, or null"),
    "timesteps": (_is_count, "a whole number"),
    "algorithm": (lambda value: value in ALGORITHMS, " or ".join(ALGORITHMS)),
    "net": (
        lambda value: _is_list(value, lambda units: _is_count(units, MOST_UNITS) and units > 0),
        f"a list of whole numbers from 1 to {MOST_UNITS:,}",
    ),
}
"""What the values of the metadata must be that a network is made from."""


def tensors_of(path: Path, entry: str) -> dict[str, Any]:
    """The tensors of an entry of a policy file; nothing in it is executed.

    Raises:
        ValueError: The entry is missing, damaged, or has something else than tensors and plain values in it.
    """
    import torch

    try:
        with zipfile.ZipFile(path) as archive:
            held = torch.load(io.BytesIO(archive.read(entry)), map_location="cpu", weights_only=True)
    except pickle.UnpicklingError:
        raise ValueError(f"{path}: {entry} has something else than tensors in it, or is damaged") from None
    except (*_NO_ZIP, KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"{path}: {entry} cannot be read: {' '.join(str(error).split())[:200]}") from None
    if not isinstance(held, dict):
        raise ValueError(f"{path}: {entry} holds {type(held).__name__}; allowed: tensors by name")
    return held


class Network:
    """The network of a policy file, loaded when it is first asked; shared by all players of that file."""

    def __init__(self, path: Path, metadata: Mapping[str, Any]) -> None:
        self.path, self.metadata = path, metadata
        self._policy: Any = None

    @property
    def masked(self) -> bool:
        """Whether it chooses among legal actions only."""
        return self.metadata["algorithm"] == "maskable"

    def probabilities(self, features: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The probability of every action for every row, float64 of shape (rows, actions)."""
        import torch

        policy = self._load(masks.shape[1])
        with torch.no_grad():
            rows = torch.as_tensor(features)
            given = policy.get_distribution(rows, masks) if self.masked else policy.get_distribution(rows)
        return given.distribution.probs.double().numpy()

    def _load(self, actions: int) -> Any:
        """Rebuilds the network and fills it with tensors only: nothing in a policy file is executed."""
        if self._policy is not None:
            return self._policy
        from gymnasium.spaces import Box, Discrete

        box = Box(-1.0, 1.0, (len(self.metadata["features"]),), np.float32)
        policy = _policy_class(self.masked)(box, Discrete(actions), float, net_arch=list(self.metadata["net"]))
        try:
            policy.load_state_dict(tensors_of(self.path, WEIGHTS))
        except (RuntimeError, TypeError, AttributeError) as error:
            told = " ".join(str(error).split())
            raise ValueError(f"{self.path}: the network does not fit its description: {told}"[:300]) from None
        policy.set_training_mode(False)
        self._policy = policy
        return policy


def _policy_class(masked: bool) -> Any:
    with needed_for("a ppo: player", "rl"):
        from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
        from stable_baselines3.common.policies import ActorCriticPolicy
    return MaskableActorCriticPolicy if masked else ActorCriticPolicy


class PolicyPlayer(Player):
    """A trained policy in a seat.

    Args:
        spec: Names the player.
        network: The policy; shared by all forks.
        deterministic: Whether it plays its likeliest action; else it draws with a seed of its own.
    """

    face: ClassVar[str] = "structured"

    def __init__(self, spec: str, network: Network, deterministic: bool = True) -> None:
        super().__init__(spec)
        self.network, self.deterministic, self.plays = network, deterministic, network.metadata["game"]

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Starts a match.

        Raises:
            ValueError: The policy was trained for something else.
        """
        game, trained = info.game, self.network.metadata
        _same(self.spec, "the game", trained["game"], game.name)
        _same(self.spec, f"version of {game.name}", trained["version"], game.version)
        face = f"the numeric face of {game.name} of version"
        _same(self.spec, face, trained["numeric_version"], game.numeric_version)
        _same(self.spec, "a number of seats of", trained["seats"], info.seats)
        _same(self.spec, "a number of features of", len(trained["features"]), len(info.features))
        self._game, self._rng = game, np.random.default_rng(seed)
        self._grid, self._seats = trained["grid"], info.seats
        self._codec: NumericFace | None = None
        self.wants_seen = game.rules.refuses is not None

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        """A structured move."""
        return self.act_batch([self], [observation], [info])[0]

    @property
    def batch_key(self) -> Hashable:
        """Matches that share the network are asked together."""
        return id(self.network)

    @classmethod
    def act_batch(
        cls, players: Sequence[Player], observations: Sequence[Any], infos: Sequence[dict[str, Any]]
    ) -> list[Any]:
        """One forward pass for all matches that wait for the same network."""
        seated = [player for player in players if isinstance(player, PolicyPlayer)]
        seen = [player.look(*told) for player, *told in zip(seated, observations, infos, strict=True)]
        coded = [player.codec(s).observe(s) for player, s in zip(seated, seen, strict=True)]
        features = np.stack([numbers["observation"] for numbers in coded])
        masks = np.stack([numbers["action_mask"] for numbers in coded]).astype(bool)
        chances = seated[0].network.probabilities(features, masks)
        return [player.choose(row, s) for player, row, s in zip(seated, chances, seen, strict=True)]

    def look(self, observation: dict[str, Any], info: dict[str, Any]) -> Seen:
        """What the seat sees; the features need no history."""
        seen = seen_from_structured(self._game, {**observation, "history": ()}, False)
        return seen._replace(legal=seen.legal._replace(refused=info["seen"].legal.refused)) if "seen" in info else seen

    def codec(self, seen: Seen) -> NumericFace:
        """The code of the numbers that the policy knows, for groups as long as in this match."""
        if self._codec is None:
            actions = self._game.actions.sized(seen.legal.bounds)
            self._codec = NumericFace(self._game, self._grid, actions=actions, seats=self._seats)
        return self._codec

    def choose(self, chances: np.ndarray, seen: Seen) -> dict[str, Any]:
        """The move for the probabilities of all actions.

        Where an unmasked policy chooses what is not legal, it means the game's default action: that is what
        happened in its training.
        """
        number = int(chances.argmax()) if self.deterministic else self._draw(chances)
        action = self.codec(seen).decode(number, seen.legal)
        if isinstance(action, Invalid):
            action = self._game.default_action(seen.view)
        return self._game.actions.plain(action)

    def _draw(self, chances: np.ndarray) -> int:
        edges = np.cumsum(chances)
        return int(np.searchsorted(edges, self._rng.random() * edges[-1], side="right"))


def _same(spec: str, what: str, trained: Any, here: Any) -> None:
    if trained != here:
        raise ValueError(
            f"player {spec!r} is not possible here: it was trained with {what} {short(trained)}, not {short(here)}"
        )


def ppo_player(spec: str, file: str, options: dict[str, str]) -> PolicyPlayer:
    """The player of ``ppo:FILE`` with ``?deterministic=0`` or ``1`` (the default).

    Raises:
        FileNotFoundError: No such file.
        ValueError: The file is no policy, its game is unknown here, or an option is not allowed.
    """
    unknown = set(options) - {"deterministic"}
    if unknown or options.get("deterministic", "1") not in ("0", "1"):
        raise ValueError(f"player {spec!r}: options {options} are not allowed; allowed: deterministic=0 or 1")
    metadata = read_metadata(file)
    find_game(metadata["game"])
    return PolicyPlayer(spec, Network(policy_path(file), metadata), options.get("deterministic", "1") == "1")
