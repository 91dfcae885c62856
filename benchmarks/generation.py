"""How fast a language model plays: one match at a time, and many side by side, in the same run.

    python benchmarks/generation.py [--model hf:smollm2] [--matches 32] [--prompts short]

Matches of bargaining in settings of the training, in both seats, against the training pool: each in a setting of its
own; in few settings, against several opponents in each, as in an evaluation; and one match played again and again, as a
group of GRPO. Figures are tokens that the model wrote, a second of CPU time, the median of the repeats, which are taken
in turns; one thread. Of the prompts, what was read in the same measurement before is not read again. The default model
is a tiny one with random weights, made on the spot.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import econzoo
from econzoo.baselines.bargaining import POOLS
from econzoo.envs.core.record import RecordFile
from econzoo.evaluate.run import Match, PlayerCache, play_matches
from econzoo.train.lm.episode_specs import make_specs
from econzoo.train.lm.tiny import TinyArgs, build


@dataclass(frozen=True)
class Found:
    """What some matches took.

    Attributes:
        matches: How many.
        prompts: Tokens of all prompts.
        written: Tokens that the model wrote.
        seconds: CPU time.
    """

    matches: int
    prompts: int
    written: int
    seconds: float

    @property
    def speed(self) -> float:
        """Written tokens a second."""
        return self.written / self.seconds


def matches(model: str, count: int, settings: int, opponents: int, **params: str) -> list[Match]:
    """Matches of the model in settings of the training, in the learner's seats in turn.

    Args:
        model: Spec.
        count: How many.
        settings: Different ones among them.
        opponents: Different ones in each.
        **params: Options of the environment.
    """
    drawn = make_specs("bargaining", range(settings), (0, 1), settings=("train",), **params)
    out = []
    for number in range(count):
        spec = drawn[number % settings]
        other = POOLS["training"][number // settings % opponents] if opponents > 1 else spec.opponents[0]
        out.append(replace(spec, opponents=(other,)).match(model))
    return out


def measured(todo: Sequence[Match], concurrent: int, cast: PlayerCache) -> Found:
    """Plays the matches, so many at once, with a model that has read nothing yet."""
    for spec in todo[0].players:
        model = getattr(cast(spec), "model", None)
        if model is not None:
            model.load().reader.forget()
    begun = time.process_time()
    records = list(play_matches(iter(todo), cast, concurrent))
    seconds = time.process_time() - begun
    tokens = [turn.tokens for record in records for turn in record.turns]
    return Found(len(records), sum(read for read, _ in tokens), sum(wrote for _, wrote in tokens), seconds)


def tiny(folder: Path) -> str:
    """The spec of a model with random weights, made in a folder."""
    file = RecordFile(folder / "records.jsonl")
    for seed in range(4):
        file.append(econzoo.play("bargaining", ["fair", "fair"], seed=seed))
    return f"hf:{build(TinyArgs([str(folder / 'records.jsonl')], str(folder / 'tiny'), context=4096))}"


def main() -> None:
    """Prints the speeds."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--model", default="", help="spec of a local model; none: a tiny one")
    parser.add_argument("--prompts", default="", help="a set of prompts, such as short; none: the game's own")
    parser.add_argument("--matches", type=int, default=32, help="side by side")
    parser.add_argument("--alone", type=int, default=4, help="matches that are played one at a time")
    parser.add_argument("--repeats", type=int, default=1, help="measurements of each")
    args = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        show(args, args.model or tiny(Path(folder)))


def show(args: argparse.Namespace, model: str) -> None:
    """Measures and prints."""
    spec = f"{model}{'&' if '?' in model else '?'}batch_size={args.matches}"
    few = max(args.matches // 8, 1)
    more = {"prompts": args.prompts} if args.prompts else {}
    kinds = {
        "each in its own setting": matches(spec, args.matches, args.matches, 1, **more),
        f"{few} settings, 8 opponents": matches(spec, args.matches, few, 8, **more),
        "one match again and again": matches(spec, args.matches, 1, 1, **more),
    }
    cast = PlayerCache("bargaining")
    found: dict[tuple[str, int], list[Found]] = {(kind, many): [] for kind in kinds for many in (1, args.matches)}
    list(play_matches(iter(kinds["one match again and again"][:1]), cast))  # loads
    for _ in range(args.repeats):
        for (kind, many), several in found.items():
            several.append(measured(kinds[kind] if many > 1 else kinds[kind][: args.alone], many, cast))
    names = f"{'at once':>8}{'matches':>8}{'prompts':>9}{'written':>9}{'tokens/s':>10}{'s a match':>10}{'ratio':>7}"
    print(f"{'':26}{names}")
    for (kind, many), several in found.items():
        one = several[0]
        speed = statistics.median(f.speed for f in several)
        base = statistics.median(f.speed for f in found[kind, 1])
        taken = statistics.median(f.seconds / f.matches for f in several)
        counts = f"{many:8}{one.matches:8}{one.prompts:9,}{one.written:9,}"
        print(f"{kind:26}{counts}{speed:10.1f}{taken:10.2f}{speed / base:7.2f}")


if __name__ == "__main__":
    main()
