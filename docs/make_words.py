"""Measures what a player earns by what it reads: with true words, with those of the other type, and with none.

    python docs/make_words.py
    python docs/make_words.py --split validation "hf:runs/words/0?constrained=no&temperature=0"
    python docs/make_words.py --frozen hf:smollm2

Second movers meet both types of `sender` once with each sentence of a split, in the setting ``cheap-talk`` of
bargaining. The players given are trainings of one kind with different seeds; beside them play a bag of words and an
oracle, which is told the type. Before anything is played the script prints what can be found at all; then gains with
intervals over sentences, differences in the same matches, and those of each seed. Matches are kept in the folder
and not played again.

``--frozen`` measures what an untrained model knows: a logistic regression with labels on its hidden states of a
sentence (`probe`), and which of the two answers it finds likelier behind the game's own prompt (`answer_odds`).
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from econzoo.baselines.bargaining.talk import RESERVATION, SPLITS, STRONG, WEAK, sentences
from econzoo.evaluate.run import Design, new_design
from econzoo.evaluate.stats import mean_of_draws, quantile
from econzoo.evaluate.suites import play_evaluation
from econzoo.train.lm.model import batch_of, label_log_probabilities, load_for_training
from econzoo.train.lm.tokens import sequences
from econzoo.train.lm.transcripts import transcript

SETTING = "cheap-talk"
OTHER = {WEAK: STRONG, STRONG: WEAK}
BAG, ORACLE, MODEL = "receiver", "oracle", "model"
"""Names in the table; the bag of words is its spec."""

TRUE, EXCHANGED, NONE = ARMS = ("true", "exchanged", "none")
"""What is said: its own words, those that the other type would say in its place, words that are not heard."""

ALPHA, POWER = 0.05, 0.8
HALF = 0.2
"""Half of what the type is worth, with which every sentence of a pair that is read adds to the gain."""

BOUNDS = {0.0: "are independent", 1.0: "are the same"}
"""Correlations of the two readings of a pair."""

POOLINGS = ("mean", "last")
"""How hidden states of a sentence's tokens become one vector."""

STRENGTHS = (1e-4, 1e-3, 1e-2, 1e-1)
"""Weights of the loss over that of the squared coefficients, as C of scikit-learn."""

Gains = Mapping[tuple[str, str], np.ndarray]
"""Player and arm to the gain at each pair of sentences, over both types; shape (pairs,)."""


def least_share(pairs: int, together: float) -> float:
    """The share of sentences that has to be read right to be told from chance with probability `POWER`.

    The gain with true words less that with none is ``0.2 (a + b - 1)`` at a pair of sentences, where a and b are 1 if
    they are read right. With chance readings it has a standard deviation of ``0.2 sqrt((1 + r) / 2)``. The paired t
    test over pairs finds a mean of ``(t[1 - alpha/2] + t[power])`` standard errors (Cohen 1988, Statistical power
    analysis, section 2.3.5). With exchanged words in place of none both are twice as large, so the share is the same.

    Args:
        pairs: How many.
        together: Correlation r of the two readings of a pair.
    """
    found = quantile(1 - ALPHA / 2, pairs - 1) + quantile(POWER, pairs - 1)
    return 0.5 + found * HALF * math.sqrt((1 + together) / 2) / math.sqrt(pairs) / (2 * HALF)


def lineups(players: Sequence[str], split: str, arm: str) -> dict[tuple[str, str], tuple[int, set[str]]]:
    """Who sits where, to the place of the sentence and the player's names in the table.

    Where nothing is heard all sentences are one match.
    """
    seated: dict[tuple[str, str], tuple[int, set[str]]] = {}
    for type, lines in sentences(split).items():
        for place in range(1 if arm == NONE else len(lines)):
            said = f"sender({type!r}, {split!r}, {place}{f', {OTHER[type]!r}' if arm == EXCHANGED else ''})"
            for name, spec in [*((one, one) for one in (*players, BAG)), (ORACLE, f"receiver({type!r})")]:
                seated.setdefault((said, spec), (place, set()))[1].add(name)
    return seated


def design(players: Sequence[str], split: str, arm: str) -> Design:
    """The matches of an arm."""
    seated = lineups(players, split, arm)
    specs, senders = (list(dict.fromkeys(pair[seat] for pair in seated)) for seat in (1, 0))
    options = {"channel": "off"} if arm == NONE else {}
    params = {"prompts": "short"} | options
    return new_design("bargaining", specs, [SETTING], 1, senders, lineups=list(seated), **params)


def measured(players: Sequence[str], split: str, folder: Path) -> tuple[Gains, Mapping[str, tuple[int, int]]]:
    """Plays all arms; also of each player its usable and all answers."""
    pairs = len(sentences(split)[WEAK])
    gains: dict[tuple[str, str], np.ndarray] = defaultdict(lambda: np.zeros(pairs))
    answers = dict.fromkeys(players, (0, 0))
    for arm in ARMS:
        seated = lineups(players, split, arm)
        for record in play_evaluation(design(players, split, arm), folder / split / arm, 1):
            place, names = seated[record.players[0], record.players[1]]
            for name in names:
                gains[name, arm][slice(None) if arm == NONE else place] += record.metrics["gains"][1] / len(RESERVATION)
            for name in names & answers.keys():
                given = sum(turn.seat == 1 for turn in record.turns)
                answers[name] = (answers[name][0] + given - record.errors[1], answers[name][1] + given)
    if players:
        for arm in ARMS:
            gains[MODEL, arm] = np.mean([gains[player, arm] for player in players], axis=0)
    return gains, answers


def told(values: np.ndarray, sign: str = "") -> str:
    """A mean with its interval over draws (Student's t); without one where all are alike."""
    found = mean_of_draws([float(one) for one in values])
    return f"{found.mean:{sign}.3f}" + ("" if math.isnan(found.low) else f" ({found.low:.3f} to {found.high:.3f})")


def rows(gains: Gains, players: Sequence[str]) -> Iterator[str]:
    """The tables as lines."""
    names = [ORACLE, *([MODEL] if players else []), BAG]
    yield f"{'gain':<10}" + "".join(f"{arm:>26}" for arm in ARMS) + f"{'true - exchanged':>26}{'true - none':>26}"
    for name in names:
        own = [told(gains[name, arm]) for arm in ARMS]
        gaps = [told(gains[name, TRUE] - gains[name, arm], "+") for arm in (EXCHANGED, NONE)]
        yield f"{name:<10}" + "".join(f"{one:>26}" for one in (*own, *gaps))
    yield f"{BAG}: share read right {(gains[BAG, TRUE].mean() - HALF) / (2 * HALF):.3f}"
    if players:
        less = [f"{name} {told(gains[MODEL, TRUE] - gains[name, TRUE], '+')}" for name in (BAG, ORACLE)]
        yield f"{MODEL} with true words less " + "; less ".join(less)
        for arm in (EXCHANGED, NONE):
            each = np.array([np.mean(gains[player, TRUE] - gains[player, arm]) for player in players])
            yield f"true - {arm} by seed: {', '.join(f'{one:+.3f}' for one in each)}; over seeds {told(each, '+')}"


def hidden_states(loaded: Any, split: str) -> np.ndarray:
    """Hidden states of the bare sentences, weak ones first; shape (layers, poolings, sentences, width)."""
    import torch

    found = []
    with torch.no_grad():
        for text in (text for type in (WEAK, STRONG) for text in sentences(split)[type]):
            read = loaded.model(**loaded.tokenizer(text, return_tensors="pt"), output_hidden_states=True).hidden_states
            found.append([[layer[0].mean(0).numpy(), layer[0, -1].numpy()] for layer in read])
    return np.moveaxis(np.array(found), 0, 2)


def logistic_regression(inputs: np.ndarray, weak: np.ndarray, strength: float) -> np.ndarray:
    """Coefficients of a logistic regression with an L2 penalty on all but the last, the intercept."""
    inputs, signs = np.column_stack([inputs, np.ones(len(inputs))]), np.where(weak, 1.0, -1.0)

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        margins, size = signs * (inputs @ w), np.append(w[:-1], 0.0)
        slope = -signs / (1.0 + np.exp(margins))
        return strength * np.logaddexp(0.0, -margins).sum() + size @ size / 2, strength * (inputs.T @ slope) + size

    return np.asarray(minimize(loss, np.zeros(inputs.shape[1]), jac=True, method="L-BFGS-B").x)


def probe(loaded: Any, split: str) -> dict[str, np.ndarray]:
    """Which sentences a probe reads right, of every layer, pooling and strength that is best in the validation.

    Ties are not broken: all of them are returned, so that none is chosen by the split that is read.

    Returns:
        Name of the probe to its readings; shape (types, pairs).
    """
    states = {name: hidden_states(loaded, name) for name in dict.fromkeys(("training", "validation", split))}
    weak = {name: np.arange(one.shape[2]) < one.shape[2] // 2 for name, one in states.items()}
    right: dict[tuple[int, int, float], dict[str, np.ndarray]] = {}
    for layer, pooling, strength in product(*map(range, states["training"].shape[:2]), STRENGTHS):
        own = {name: one[layer, pooling] for name, one in states.items()}
        mean, deviation = own["training"].mean(axis=0), own["training"].std(axis=0) + 1e-6
        scaled = {name: (one - mean) / deviation for name, one in own.items()}
        w = logistic_regression(scaled["training"], weak["training"], strength)
        right[layer, pooling, strength] = {n: (one @ w[:-1] + w[-1] > 0) == weak[n] for n, one in scaled.items()}
    most = max(one["validation"].sum() for one in right.values())
    best = {settings: one for settings, one in right.items() if one["validation"].sum() == most}
    near = [one[split].mean() for one in right.values() if one["validation"].sum() == most - 1]
    print(f"{len(best)} of {len(right)} probes read {most} of {len(weak['validation'])} validation sentences right;")
    if near:
        print(f"  of {split}, the {len(near)} probes with one less read {min(near):.3f} to {max(near):.3f} right")
    return {
        f"layer {layer:>2}, {POOLINGS[pooling]}, C={strength:g}": one[split].reshape(len(OTHER), -1)
        for (layer, pooling, strength), one in best.items()
    }


def answer_odds(loaded: Any, split: str, folder: Path) -> np.ndarray:
    """Log-probability of rejecting less that of accepting behind the game's own prompt; shape (types, pairs)."""
    import torch

    answers = [f"receiver({type!r})" for type in (WEAK, STRONG)]  # who takes everybody for weak rejects
    found: dict[tuple[str, int], dict[str, float]] = defaultdict(dict)
    seated = lineups(answers, split, TRUE)
    for record in play_evaluation(design(answers, split, TRUE), folder / split / TRUE, 1):
        sender, receiver = record.players
        if receiver in answers:
            chat = transcript(record, 1)[:3]  # the rules, the offer with its sentence, the first answer
            batch = batch_of(sequences(loaded, chat, loaded.context), loaded.tokenizer.pad_token_id)
            with torch.no_grad():
                score = label_log_probabilities(loaded.model, batch).log_probabilities.sum().item()
            said = next(type for type in (WEAK, STRONG) if sender.startswith(f"sender({type!r}"))
            found[said, seated[sender, receiver][0]][receiver] = score
    pairs = range(len(sentences(split)[WEAK]))
    return np.array(
        [[found[type, at][answers[0]] - found[type, at][answers[1]] for at in pairs] for type in (WEAK, STRONG)]
    )


def frozen_rows(model: str, split: str, folder: Path) -> Iterator[str]:
    """What a frozen model reads, by a probe and without any training, as lines."""
    loaded = load_for_training(model)
    loaded.model.eval()

    def row(name: str, right: np.ndarray) -> str:
        gain = HALF + HALF * right.sum(axis=0)
        return (
            f"{name}: share read right {right.mean():.3f}, gain {told(gain)}, true - none {told(gain - 2 * HALF, '+')}"
        )

    probes = probe(loaded, split)
    yield from (row(f"probe, {name}", right) for name, right in probes.items())
    yield row(f"probe, mean of {len(probes)}", np.mean([*probes.values()], axis=0))
    weak = np.array([[True], [False]])
    odds, bias = answer_odds(loaded, split, folder), np.median(answer_odds(loaded, "validation", folder))
    for name, least in (("likelier answer", 0.0), ("answers less the validation's median", bias)):
        yield row(f"zero shot, {name}, rejects {np.mean(odds > least):.0%}", (odds > least) == weak)


def main() -> None:
    """Says what can be found, plays and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("players", nargs="*")
    parser.add_argument("--split", choices=SPLITS, default="test")
    parser.add_argument("--out", type=Path, default=Path("runs/words/evaluation"))
    parser.add_argument("--frozen", metavar="MODEL", help="what this model reads without training")
    asked = parser.parse_args()
    if asked.frozen:
        print("\n".join(frozen_rows(asked.frozen, asked.split, asked.out)))
        return
    pairs = len(sentences(asked.split)[WEAK])
    least = [f"{least_share(pairs, together):.2f} where readings of a pair {how}" for together, how in BOUNDS.items()]
    print(f"{asked.split}: {pairs} sentences of each type; {POWER:.0%} power to tell a share read right from chance: ")
    print(f"  {', '.join(least)}")
    gains, answers = measured(asked.players, asked.split, asked.out)
    print("\n".join(rows(gains, asked.players)))
    for player in asked.players:
        read = (gains[player, TRUE].mean() - HALF) / (2 * HALF)
        print(f"{player}: share read right {read:.3f}; {answers[player][0]} of {answers[player][1]} answers legal")


if __name__ == "__main__":
    main()
