"""Probabilities of the kinds of move while a local model writes a reply, under a grammar or freely."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from econzoo.baselines.models.constrained_decoding import FreeText, Guide
from econzoo.baselines.models.kind_probabilities import Kinds, round_masses, shares_of
from econzoo.envs.core.record import Probabilities

if TYPE_CHECKING:
    from torch import Tensor

_LEAST_UNCLEAR = 1e-5
"""Probability from which a token is followed that begins several kinds."""


class KindReader:
    """Sums the probabilities of all tokens that lead to each kind, from the first token that tells them apart.

    Of free replies, which may have drafts, the last such place counts, as the last object does.
    """

    def __init__(self, kinds: Kinds, free: FreeText) -> None:
        self._kinds, self._free = kinds, free
        self._clear()
        self._is_read = False

    def _clear(self) -> None:
        self._at_temperature, self._raw = (dict.fromkeys(self._kinds.names, 0.0) for _ in range(2))
        self._unclear: list[tuple[list[int], Guide, float, float]] = []

    @property
    def probabilities(self) -> Probabilities:
        """Empty if no token told the kinds apart."""
        shares = shares_of(self._at_temperature)
        return cast("Probabilities", {"kinds": shares, "raw": round_masses(self._raw)} if shares else {})

    def look(self, tokens: Sequence[int], guide: Guide | None, logits: Tensor, temperature: float) -> None:
        """Read the place behind the tokens of a reply, unless under a grammar the kinds are known.

        Args:
            guide: The grammar; None: the reply is free.
            logits: Of the next token, shape (vocabulary,).
        """
        if guide is None or not self._is_read:
            found = self._sort(tokens, guide or self._free, logits, temperature, 1.0, 1.0, is_first=True)
            self._is_read = self._is_read or found

    def follow_unclear_tokens(self, model: Any, prompt: Sequence[int], temperature: float) -> None:
        """Read on after tokens that several kinds begin with, such as ``o`` of offer and opt_out."""
        import torch

        while self._unclear:
            tokens, guide, share, own = self._unclear.pop()
            written = [*tokens, *guide.take_forced()]
            left = self._kinds.remainders(guide.text(written))
            if len(left) == 1:
                self._add(left, share, own)
                continue
            # Without the cache, whose states later replies use: they stay the same to the last bit.
            ids = torch.tensor([[*prompt, *written]], device=model.device)
            with torch.inference_mode():
                logits = model(input_ids=ids, use_cache=False, logits_to_keep=1).logits[0, -1]
            self._sort(written, guide, logits, temperature, share, own)

    def _sort(
        self,
        tokens: Sequence[int],
        guide: Guide,
        logits: Tensor,
        temperature: float,
        share: float,
        own: float,
        is_first: bool = False,
    ) -> bool:
        """Sort the next tokens by the kinds that they lead to; return whether they tell kinds apart.

        Args:
            share: Probability of the tokens after the first place.
            own: The same without grammar and at temperature 1.
            is_first: Whether this may be the first place, which counts only if all kinds are still possible.
        """
        import torch

        left = self._kinds.remainders(guide.text(tokens))
        allowed = guide.allowed_mask()
        leads = _leads(left, guide, allowed)
        if is_first:
            if len(left) < len(self._kinds.names) or all(len(names) == len(left) for names in leads.values()):
                return False
            self._clear()
        scores = torch.nan_to_num(logits.float(), nan=-1e30, posinf=1e30, neginf=-1e30)
        masked = scores.masked_fill(~torch.from_numpy(allowed).to(scores.device), -torch.inf)
        # At temperature 0 the likeliest token has the whole weight.
        masked = masked / temperature if temperature > 0 else torch.where(masked == masked.max(), 0.0, -torch.inf)
        places = list(leads)
        weights, raws = torch.softmax(masked, -1)[places].tolist(), torch.softmax(scores, -1)[places].tolist()
        for token, weight, raw in zip(places, weights, raws, strict=True):
            if len(leads[token]) == 1:
                self._add(leads[token], share * weight, own * raw)
            elif share * weight > _LEAST_UNCLEAR:
                further = guide.copy()
                further.take_token(token)
                self._unclear.append(([*tokens, token], further, share * weight, own * raw))
        return True

    def _add(self, names: Collection[str], share: float, own: float) -> None:
        for name in names:
            self._at_temperature[name] += share
            self._raw[name] += own


def _leads(left: Mapping[str, str], guide: Guide, allowed: Any) -> dict[int, list[str]]:
    """Return the kinds that each allowed next token leads to, for tokens that lead to any."""
    leads: dict[int, list[str]] = defaultdict(list)
    for name, rest in left.items():
        for token in guide.vocabulary.tokens_towards(rest):
            if allowed[token]:
                leads[token].append(name)
    return leads
