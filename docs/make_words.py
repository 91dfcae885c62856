"""Measures who reads a type out of sentences, and what that earns: from reward alone, by labels, without training.

    python docs/make_words.py
    python docs/make_words.py --frozen hf:smollm2 runs/words/1 runs/words/2

Second movers meet both types of `sender` once with each sentence of a split, in the setting ``cheap-talk`` of
bargaining. A reader is an oracle, the bag of words of `receiver`, a frozen model by a logistic regression with labels
on its hidden states (`probe`) or by which of the two answers it finds likelier behind the game's own prompt
(`answer_odds`: zero shot), and fine-tuned models by the latter. Senders are truthful, or some of the weak ones lie
where it pays (`equilibria`). Models of each kind are trainings with different seeds.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import minimize

from econzoo.baselines.bargaining.talk import SPLITS, STRONG, WEAK, infer_type, sentences
from econzoo.envs.core.record import Record
from econzoo.envs.games.bargaining.scenarios import SETTINGS
from econzoo.evaluate.run import play_match
from econzoo.evaluate.stats import mean_of_draws, quantile
from econzoo.train.lm.model import batch_of, load_for_training
from econzoo.train.lm.tokens import IGNORED, Tokens, sequences
from econzoo.train.lm.transcripts import transcript

BAG = "bag of words"
OTHER = {WEAK: STRONG, STRONG: WEAK}

LIES = {"truthful": 0.0, "liars": 0.5}
"""Share of weak senders who lie when it pays, by the kind of sender."""

BATCH, LEARNING_RATE, CHECKPOINTS = 16, 0.01, (100, 300, 1000)
"""Matches of a step of the linear policy, its rate, and the steps among which the validation chooses."""

MARGIN = 0.05
"""What a reader from reward may be below the probe."""

ALPHA, POWER = 0.05, 0.8
HALF = 0.2
"""Half of what the type is worth, with which every sentence of a pair that is read adds to the gain."""

Earnings = Mapping[tuple[str, str], Sequence[float]]
"""The gains of both seats by the sender's type and the type that it is taken for."""

BOUNDS = {0.0: "are independent", 1.0: "are the same"}
"""Correlations of the two readings of a pair."""

POOLINGS = ("mean", "last")
"""How hidden states of a sentence's tokens become one vector."""

STRENGTHS = (1e-4, 1e-3, 1e-2, 1e-1)
"""Weights of the loss over that of the squared coefficients, as C of scikit-learn."""


def least_share(pairs: int, together: float) -> float:
    """The share of sentences that has to be read right to be told from chance with probability `POWER`.

    The gain with true words less that with none is ``0.2 (a + b - 1)`` at a pair of sentences, where a and b are 1 if
    they are read right. With chance readings it has a standard deviation of ``0.2 sqrt((1 + r) / 2)``. The paired t
    test over pairs finds a mean of ``(t[1 - alpha/2] + t[power])`` standard errors (Cohen 1988, Statistical power
    analysis, section 2.3.5).

    Args:
        pairs: How many.
        together: Correlation r of the two readings of a pair.
    """
    found = quantile(1 - ALPHA / 2, pairs - 1) + quantile(POWER, pairs - 1)
    return 0.5 + found * HALF * math.sqrt((1 + together) / 2) / math.sqrt(pairs) / (2 * HALF)


def first_match(type: str, split: str, place: int, taken: str) -> Record:
    """The match of a sender with one of its sentences against the best response to the type it is taken for."""
    players = [f"sender({type!r}, {split!r}, {place})", f"receiver({taken!r})"]
    return play_match("bargaining", players, prompts="short", **SETTINGS["cheap-talk"])


def earnings() -> Earnings:
    """What both seats earn by the answers of `receiver`."""
    return {pair: first_match(pair[0], "training", 0, pair[1]).metrics["gains"] for pair in product(OTHER, repeat=2)}


def equilibria(lies: float) -> list[tuple[str, dict[str, str], float]]:
    """Pure equilibria among the weak senders who may lie, a share of them, and the receiver; by brute force.

    The others say what they are. A sender of either type gains most where it is taken for strong, so the strong have
    no reason to lie. If all weak ones may, words are worth nothing to the receiver in any equilibrium.

    Source: motives that do not depend on the type: Lipnowski and Ravid (2020), Cheap talk with transparent motives,
    Econometrica 88(4), 1631-1660; senders some of whom are honest: Sobel (1985), A theory of credibility, Review of
    Economic Studies 52(4), 557-573.

    Returns:
        The words of those who may lie, the type each kind of words is taken for, and the receiver's gain.
    """
    earned = earnings()

    def value(words: str, taken: Mapping[str, str]) -> float:
        met = ((WEAK, WEAK, (1 - lies) / 2), (WEAK, words, lies / 2), (STRONG, STRONG, 1 / 2))
        return sum(share * earned[type, taken[said]][1] for type, said, share in met)

    replies = [dict(zip(OTHER, taken, strict=True)) for taken in product(OTHER, repeat=2)]
    return [
        (words, taken, value(words, taken))
        for words, taken in product(OTHER, replies)
        if value(words, taken) > max(value(words, other) for other in replies) - 1e-9
        and earned[WEAK, taken[words]][0] > earned[WEAK, taken[OTHER[words]]][0] - 1e-9
    ]


def gain(right: np.ndarray, lies: float) -> np.ndarray:
    """What readings earn at each pair of sentences, over both types; ``right`` has shape (..., types, pairs).

    A weak sender who lies counts for how the strong one's words beside it are read. Believed, both are accepted and
    leave 0.4; doubted, both are rejected and leave 0.8 and 0. So a pair of which one lies earns 0.4 in any case.
    """
    return (1 - lies) * HALF * (1 + right.sum(axis=-2)) + lies * 2 * HALF


def told(values: np.ndarray, sign: str = "") -> str:
    """A mean with its interval over draws (Student's t); without one where all are alike."""
    found = mean_of_draws([float(one) for one in values])
    return f"{found.mean:{sign}.3f}" + ("" if math.isnan(found.low) else f" ({found.low:.3f} to {found.high:.3f})")


def rows(readings: Mapping[str, np.ndarray], learned: Mapping[str, np.ndarray], lies: float) -> Iterator[str]:
    """The table of a kind of senders as lines; ``learned`` from reward has the readings of all seeds."""
    gains = {name: gain(right, lies) for name, right in readings.items()}
    for name, right in (readings | {name: right.mean(axis=0) for name, right in learned.items()}).items():
        own = gain(right, lies)
        yield f"{name}: reads {right.mean():.3f}, gain {told(own)}, less hearing nothing {told(own - 2 * HALF, '+')}"
    zero = max((name for name in gains if name.startswith("zero")), key=lambda name: gains[name].mean(), default="")
    for name, right in learned.items():
        yield f"{name}: reads by seed {', '.join(f'{one:.3f}' for one in right.mean(axis=(1, 2)))}"
        for other, least in {"probe": -MARGIN, zero: 0.0, BAG: 0.0}.items():
            if other in gains:
                gaps = [(gain(right, lies) - gains[other]).mean(axis=axis) for axis in (1, 0)]
                met = all(mean_of_draws([*map(float, gap)]).low > least for gap in gaps)
                over = f"{told(gaps[0], '+')} over seeds, {told(gaps[1], '+')} over sentences"
                yield f"{name} less {other}: {over}; {'above' if met else 'NOT above'} {least:g} by both"


def hidden_states(loaded: Any, split: str) -> np.ndarray:
    """Hidden states of the bare sentences, weak ones first; shape (layers, poolings, sentences, width)."""
    import torch

    texts, found = [text for type in OTHER for text in sentences(split)[type]], []
    for at in range(0, len(texts), BATCH):
        batch = loaded.tokenizer(texts[at : at + BATCH], padding=True, padding_side="right", return_tensors="pt")
        with torch.no_grad():
            read = torch.stack(loaded.model.get_decoder()(**batch, output_hidden_states=True).hidden_states)
        for place, count in enumerate(batch["attention_mask"].sum(1)):
            own = read[:, place, :count]
            found.append(torch.stack([own.mean(1), own[:, -1]], 1).numpy())
    return np.stack(found, 2)


def scaled_states(states: Mapping[str, np.ndarray]) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """Layer and pooling, and each split's states in the training's scale with a last column of ones."""
    for layer, pooling in product(*map(range, states["training"].shape[:2])):
        own = {split: one[layer, pooling] for split, one in states.items()}
        mean, deviation = own["training"].mean(axis=0), own["training"].std(axis=0) + 1e-6
        scaled = {split: np.column_stack([(one - mean) / deviation, np.ones(len(one))]) for split, one in own.items()}
        yield f"layer {layer}, {POOLINGS[pooling]}", scaled


def policy_gradient(inputs: np.ndarray, earned: Earnings, lies: float, seed: int) -> Iterator[np.ndarray]:
    """Coefficients of a policy that rejects with logistic probability, at each of `CHECKPOINTS`.

    It learns from what its own sampled answers earned less the batch's mean, and is told nothing else: REINFORCE
    (Williams 1992, Simple statistical gradient-following algorithms, Machine Learning 8, 229-256).

    Args:
        inputs: States of the training sentences, weak ones first; shape (sentences, width).
        lies: Share of weak senders who say a sentence of the strong type.
    """
    rng, w, known = np.random.default_rng(seed), np.zeros(inputs.shape[1]), len(inputs) // 2
    reject, accept = (np.array([earned[type, taken][1] for type in OTHER]) for taken in (WEAK, STRONG))
    for step in range(1, CHECKPOINTS[-1] + 1):
        strong = rng.integers(2, size=BATCH)
        says_strong = np.maximum(strong, rng.random(BATCH) < lies)
        x = inputs[rng.integers(known, size=BATCH) + known * says_strong]
        chance = 1 / (1 + np.exp(-x @ w))
        rejects = rng.random(BATCH) < chance
        reward = np.where(rejects, reject[strong], accept[strong])
        w += LEARNING_RATE * ((reward - reward.mean()) * (rejects - chance)) @ x / BATCH
        if step in CHECKPOINTS:
            yield w.copy()


def logistic_regression(inputs: np.ndarray, weak: np.ndarray, strength: float) -> np.ndarray:
    """Coefficients of a logistic regression with an L2 penalty on all but the last, which is the intercept's."""
    signs = np.where(weak, 1.0, -1.0)

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        margins, size = signs * (inputs @ w), np.append(w[:-1], 0.0)
        slope = -signs / (1.0 + np.exp(margins))
        return strength * np.logaddexp(0.0, -margins).sum() + size @ size / 2, strength * (inputs.T @ slope) + size

    return np.asarray(minimize(loss, np.zeros(inputs.shape[1]), jac=True, method="L-BFGS-B").x)


def best_in_validation(
    states: Mapping[str, np.ndarray], learn: Callable[[np.ndarray], Iterable[tuple[str, np.ndarray]]]
) -> tuple[str, dict[str, np.ndarray]]:
    """What linear readers of every layer and pooling read right, the mean of those that are best in the validation.

    Ties are not broken, so that none is chosen by a split that is read. Right readings and gains rank alike, so this
    may be done by rewards alone.

    Args:
        states: Split to `hidden_states`.
        learn: From the training's states to coefficients by name.

    Returns:
        Which are best; split to readings, shape (types, pairs).
    """
    found: dict[str, dict[str, np.ndarray]] = {}
    for where, inputs in scaled_states(states):
        for name, w in learn(inputs["training"]):
            right = {split: reading((one @ w).reshape(len(OTHER), -1)) for split, one in inputs.items()}
            found[f"{where}, {name}"] = right
    most = max(right["validation"].sum() for right in found.values())
    best = {name: right for name, right in found.items() if right["validation"].sum() == most}
    told = f"{most} of {found[next(iter(best))]['validation'].size} in validation by {'; '.join(best)}"
    return told, {split: np.mean([right[split] for right in best.values()], axis=0) for split in states}


def probe(states: Mapping[str, np.ndarray]) -> tuple[str, dict[str, np.ndarray]]:
    """What a linear probe with labels reads right."""
    weak = np.arange(states["training"].shape[2]) < states["training"].shape[2] // 2
    return best_in_validation(
        states, lambda inputs: [(f"C={c:g}", logistic_regression(inputs, weak, c)) for c in STRENGTHS]
    )


def linear_policy(states: Mapping[str, np.ndarray], lies: float, seed: int) -> tuple[str, dict[str, np.ndarray]]:
    """What the same kind of reader reads right that learned from its earnings alone."""
    earned = earnings()
    return best_in_validation(
        states,
        lambda inputs: zip(map(str, CHECKPOINTS), policy_gradient(inputs, earned, lies, seed), strict=True),
    )


def answer_odds(loaded: Any, split: str) -> np.ndarray:
    """Log-probability of rejecting less that of accepting behind the game's own prompt; shape (types, pairs)."""
    import torch

    def told(type: str, place: int, taken: str) -> Tokens:
        chat = transcript(first_match(type, split, place, taken), 1, 0)[:3]  # rules, offer with its sentence, answer
        (row,) = sequences(loaded, chat, loaded.context)
        return row

    # Who takes everybody for weak rejects.
    places = [(type, place) for type, lines in sentences(split).items() for place in range(len(lines))]
    rows = [[told(*one, taken) for taken in OTHER] for one in places]
    decoder, head, found = loaded.model.get_decoder(), loaded.model.get_output_embeddings(), []
    columns = zip(*(row.ids for pair in rows for row in pair), strict=False)
    shared = next(at for at, column in enumerate(columns) if len(set(column)) > 1)  # tokens before the sentence
    with torch.no_grad():
        known = decoder(input_ids=torch.tensor([rows[0][0].ids[:shared]] * 2), use_cache=True).past_key_values
        for pair in rows:
            batch = batch_of(pair, loaded.tokenizer.pad_token_id)
            read = decoder(
                input_ids=batch["input_ids"][:, shared:],
                attention_mask=batch["attention_mask"],
                past_key_values=deepcopy(known),
            ).last_hidden_state[:, :-1]
            labels = batch["labels"][:, shared + 1 :]
            reject, accept = (
                torch.log_softmax(head(x[y != IGNORED]), -1).gather(-1, y[y != IGNORED][:, None]).sum().item()
                for x, y in zip(read, labels, strict=True)
            )
            found.append(reject - accept)
    return np.array(found).reshape(len(OTHER), -1)


def reading(odds: np.ndarray, least: float = 0.0) -> np.ndarray:
    """Which sentences are read right by who rejects above these odds."""
    return np.asarray((odds > least) == np.array([[True], [False]]))


def main() -> None:
    """Reads and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--split", choices=SPLITS, action="append", help="by default test and other-author")
    parser.add_argument(
        "--frozen", metavar="MODEL", help="what this model reads by a probe, a linear policy, zero shot"
    )
    parser.add_argument("--seeds", type=int, default=3, help="trainings of the linear policy")
    parser.add_argument("models", nargs="*", help="fine-tuned with truthful senders, one a seed")
    asked = parser.parse_args()
    splits, arms = asked.split or ["test", "other-author"], list(LIES)
    readings: dict[str, dict[str, np.ndarray]] = {}
    reward: dict[tuple[str, str], dict[str, np.ndarray]] = {(arm, split): {} for arm in arms for split in splits}
    for split in splits:
        bag = np.array([[infer_type(one) == type for one in lines] for type, lines in sentences(split).items()])
        readings[split] = {"oracle": np.ones(bag.shape), BAG: bag}
        pairs = bag.shape[1]
        least = [f"{least_share(pairs, r):.2f} where readings of a pair {how}" for r, how in BOUNDS.items()]
        print(f"{split}: {pairs} sentences of each type; {POWER:.0%} power to tell a share read right from chance:")
        print(f"  {', '.join(least)}")
    if asked.frozen:
        loaded = load_for_training(asked.frozen)
        states = {name: hidden_states(loaded, name) for name in dict.fromkeys(("training", "validation", *splits))}
        best, right = probe(states)
        print(f"probe: {best}")
        policies = {
            arm: [linear_policy(states, lies, seed) for seed in range(1, asked.seeds + 1)] for arm, lies in LIES.items()
        }
        for arm, own in policies.items():
            for best, _ in own:
                print(f"linear policy, {arm}: {best}")
        bias = float(np.median(answer_odds(loaded, "validation")))
        for split in splits:
            odds = answer_odds(loaded, split)
            zero = {"likelier answer": reading(odds), "less the validation's median": reading(odds, bias)}
            readings[split] |= {"probe": right[split], **{f"zero shot, {name}": one for name, one in zero.items()}}
            for arm in arms:
                reward[arm, split]["linear policy"] = np.array([one[split] for _, one in policies[arm]])
    for model in asked.models:
        loaded = load_for_training(model)
        for split in splits:
            old = reward[arms[0], split].get("fine-tuned", np.zeros((0, *readings[split][BAG].shape)))
            reward[arms[0], split]["fine-tuned"] = np.concatenate([old, reading(answer_odds(loaded, split))[None]])
    for arm, lies in LIES.items():
        for words, taken, value in equilibria(lies):
            print(
                f"\n{arm}, equilibrium: who may lie says {words!r}, taken for {taken}; the receiver gains {value:.3f}"
            )
        for split in splits:
            print(f"{arm}, {split}", *rows(readings[split], reward[arm, split], lies), sep="\n  ")


if __name__ == "__main__":
    main()
