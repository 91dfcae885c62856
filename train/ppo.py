"""Trains one network on a game with PPO, in one seat or in all.

    econzoo train ppo bargaining --out runs/first
    econzoo play bargaining ppo:runs/first fair

The folder then has ``policy.zip`` (everything that ``ppo:FOLDER`` needs), ``learning_curve.csv`` and
``checkpoints/``. From Python: ``train(PPOArgs("bargaining", out="runs/first"))``.

Here is the training on compiled games, thousands of moves at once; `econzoo.train.sb3_ppo` has the other algorithms,
those of Stable-Baselines3 on environments one after the other, which play every game and meet every player.
"""

from __future__ import annotations

import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from econzoo.baselines.policy_files import POLICY, read_metadata
from econzoo.envs.core.extras import need
from econzoo.envs.core.faces.numeric_moves import ListedMoves
from econzoo.envs.core.vector.layout import CannotCompileError
from econzoo.train.rl_args import PPOArgs
from econzoo.train.rl_defaults import LIBRARIES
from econzoo.train.rl_evaluation import Curve
from econzoo.train.rl_files import check_same, checkpoint_path, restored, start_of, stored
from econzoo.train.rl_recipe import about, seed_at
from econzoo.train.tracking import Trackers

if TYPE_CHECKING:
    from econzoo.train.ppo_update import Settings, Told

__all__ = ["train"]

LINES = 20
"""Lines of progress in a whole training, about."""

PER_SETTING, PER_PLAYER = 256, 1024
"""Moves for each setting, and for each player with arguments from distributions, that is drawn anew."""


def train(args: PPOArgs) -> Path:
    """Trains a policy, or goes on with the training of a folder.

    A training that goes on takes over network, optimiser and count of moves; its games start anew, with seeds
    made from `args.seed` and the count of moves. An interrupt leaves a checkpoint.

    Args:
        args: See `PPOArgs`.

    Returns:
        The policy file.

    Raises:
        CannotCompileError: The game or an opponent has no compiled form.
        ValueError: The folder holds a training and `args.resume` is not set, or one that does not fit.
        FileNotFoundError: `args.resume` is set and there is nothing to go on from.
        ImportError: The libraries of the ``rl`` extra are missing.
    """
    if args.why and args.progress:
        print(args.why, file=sys.stderr, flush=True)
    if not args.compiled:
        from econzoo.train.sb3_ppo import train as train_with_sb3

        return train_with_sb3(args)
    need("training by PPO", *LIBRARIES[True], extra="rl")
    start = start_of(args.out, args.resume)
    if start:
        check_same(start, about(args, 0))
    try:
        training = Training(args, start)
    except CannotCompileError as error:
        raise CannotCompileError(f"{error}; --algorithm sb3 trains on environments one after the other") from error
    with closing(Trackers(args.track, args.out, args.plain())) as trackers:
        return training.run(trackers)


class Training:
    """A network that learns, and the games in which it does.

    Args:
        args: See `PPOArgs`.
        start: The file to go on from; None: nothing is learned yet.

    Attributes:
        moves: Of the learner so far.
        network: Actor and critic.
    """

    def __init__(self, args: PPOArgs, start: Path | None = None) -> None:
        import torch

        from econzoo.baselines.policy_network import network_of
        from econzoo.train.learner_games import training
        from econzoo.train.rollouts import Actor

        torch.set_num_threads(args.threads)
        self.args, self.moves = args, read_metadata(start)["timesteps"] if start else 0
        seed, games = seed_at(args, self.moves), training(args)
        self.luck = torch.Generator().manual_seed(seed)
        moves = games.moves
        assert isinstance(moves, ListedMoves)
        self.network = network_of(about(args, 0), moves, self.luck)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=args.learning_rate, eps=1e-5)
        if start:
            restored(start, self.network, self.optimizer)
        self.actor = Actor(games, self.network, seed, self.luck)

    def run(self, trackers: Trackers) -> Path:
        """Learns until the end; measures and keeps it on the way."""
        from econzoo.train.learner_games import validation

        curve = Curve(self.args.out, validation(self.args))
        curve.open(self.moves)
        due = dict.fromkeys(("measured", "kept", "told"), self.moves)
        try:
            while self.moves < self.args.timesteps:
                self._between(curve, trackers, due)
                told = self.learn()
                trackers.write(self.moves, told._asdict())
        except KeyboardInterrupt:
            kept = self.store(checkpoint_path(self.args.out, self.moves))
            print(f"stopped at {self.moves:,} moves, kept in {kept}; --resume goes on from there", file=sys.stderr)
            raise
        if curve.last < self.moves:
            self._measure(curve, trackers)
        return self.store(self.args.out / POLICY)

    def learn(self) -> Told:
        """Plays a rollout and improves the network by it."""
        from econzoo.train.ppo_update import update

        told = update(self.network, self.optimizer, self.actor.play(self.args.n_steps), self.settings(), self.luck)
        made = self.args.n_steps * self.args.n_envs
        self.actor.games.redraw(made // PER_SETTING, made // PER_PLAYER)
        self.moves += made
        return told

    def settings(self) -> Settings:
        """How much is learned at this point of the training."""
        from econzoo.train.ppo_update import Settings

        args, left = self.args, 1 - self.moves / self.args.timesteps
        rate = args.faded(args.learning_rate, 0.0 if args.decay else args.learning_rate)(left)
        entropy = args.faded(args.entropy, args.entropy_end)(left)
        how = args.epochs, args.batch_size, rate, args.gamma, args.gae_lambda, args.clip_range, entropy
        return Settings(*how, predict=args.predict)

    def store(self, path: Path) -> Path:
        """Keeps network and optimiser in a policy file."""
        return stored(path, self.network, self.optimizer, about(self.args, self.moves))

    def _between(self, curve: Curve, trackers: Trackers, due: dict[str, int]) -> None:
        """What happens between two updates: evaluations, checkpoints, a line of progress."""
        args = self.args
        for name, every in (("measured", args.eval_every), ("kept", args.checkpoint_every), ("told", self._apart())):
            if not every or self.moves < due[name]:
                continue
            due[name] = self.moves + every
            if name == "measured" and curve.last < self.moves:
                self._measure(curve, trackers)
            elif name == "kept" and self.moves:
                self.store(checkpoint_path(args.out, self.moves))
            elif name == "told":
                self._tell(curve)

    def _apart(self) -> int:
        """Moves between two lines of progress."""
        return -(-self.args.timesteps // LINES) if self.args.progress else 0

    def _measure(self, curve: Curve, trackers: Trackers) -> None:
        points = curve.measure(self.network, self.moves)
        trackers.write(self.moves, {f"evaluation/{point.opponent}": point.reward for point in points})

    def _tell(self, curve: Curve) -> None:
        """Says on standard error how far the training is, and what it came to when it was last measured."""
        began = self.__dict__.setdefault("_began", (time.perf_counter(), self.moves))
        seconds, made = time.perf_counter() - began[0], self.moves - began[1]
        speed = f"  ({made / seconds:,.0f} moves/s)" if made else ""
        reward = f"  reward {curve.reward:.3f} at {curve.last:,}" if curve.last >= 0 else ""
        print(f"{self.moves:,} of {self.args.timesteps:,} moves{reward}{speed}", file=sys.stderr, flush=True)
