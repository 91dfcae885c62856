"""Programs as trees of a small grammar: sampled, mutated, crossed, and rendered as source.

Trees are typed: a condition hole takes a condition, a move hole a move. So sampling, mutation and crossover always
yield valid, readable programs (grammar-guided genetic programming: Montana 1995, Strongly typed genetic programming,
Evolutionary Computation 3(2); Koza 1992).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from random import Random
from typing import NamedTuple

PROGRAM = "program"
"""Symbol of complete programs."""

MAX_NODES = 40
"""Maximum nodes of a tree."""


class Production(NamedTuple):
    """A production of the grammar.

    Attributes:
        template: Source text, with ``{0}``, ``{1}``, ... for holes.
    """

    symbol: str
    template: str
    holes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


class Tree(NamedTuple):
    """A production with its holes filled."""

    production: Production
    parts: tuple[Tree, ...] = ()

    @property
    def symbol(self) -> str:
        return self.production.symbol

    def text(self) -> str:
        return self.production.template.format(*[part.text() for part in self.parts])

    def nodes(self) -> Iterator[tuple[tuple[int, ...], Tree]]:
        """Iterate over all subtrees with their paths, the root first."""
        yield (), self
        for place, part in enumerate(self.parts):
            yield from (((place, *path), tree) for path, tree in part.nodes())

    def size(self) -> int:
        return 1 + sum(part.size() for part in self.parts)

    def replace_part(self, path: Sequence[int], tree: Tree) -> Tree:
        """Return the tree with the subtree at a path replaced."""
        if not path:
            return tree
        parts = list(self.parts)
        parts[path[0]] = parts[path[0]].replace_part(path[1:], tree)
        return Tree(self.production, tuple(parts))


class Grammar:
    """A grammar of programs, with random operators.

    Args:
        head: First line of every program: ``def strategy_function(...):``.
        productions: All productions; those of ordered symbols are in order.
        helpers: Name to source of helper functions, which may call preceding ones.
        ordered: Symbols with similar neighbours, such as numbers.
    """

    def __init__(
        self,
        head: str,
        productions: Sequence[Production],
        helpers: Mapping[str, str],
        ordered: frozenset[str] = frozenset(),
    ) -> None:
        self.head, self.productions, self.helpers, self.ordered = head, tuple(productions), helpers, ordered

    @cached_property
    def forms(self) -> dict[str, list[Production]]:
        """Productions by symbol."""
        forms: dict[str, list[Production]] = {}
        for production in self.productions:
            forms.setdefault(production.symbol, []).append(production)
        return forms

    def source(self, tree: Tree) -> str:
        """Return the source of a tree with symbol `PROGRAM`."""
        needed = self._required_helpers({name for _, node in tree.nodes() for name in node.production.needs})
        functions = [text for name, text in self.helpers.items() if name in needed]
        return "\n\n\n".join([*[text.strip() for text in functions], f"{self.head}\n{tree.text()}"]) + "\n"

    def _required_helpers(self, names: set[str]) -> set[str]:
        """These helpers and, recursively, those they call."""
        more = {other for name in names for other in self.helpers if f"{other}(" in self.helpers[name]}
        return names if more <= names else self._required_helpers(names | more)

    def single_rules(self, symbol: str = PROGRAM) -> list[Tree]:
        """Return all programs of a single unconditional rule."""
        forms = [form for form in self.forms[symbol] if PROGRAM not in form.holes]
        return [Tree(form, parts) for form in forms for parts in product(*map(self.single_rules, form.holes))]

    # -- random operators ----------------------------------------------------------------------------------

    def sample_tree(self, rng: Random, symbol: str = PROGRAM, depth: int = 4) -> Tree:
        """Sample a tree with recursive productions up to a depth."""
        form = self._form(rng, symbol, depth)
        return Tree(form, tuple([self.sample_tree(rng, hole, depth - 1) for hole in form.holes]))

    def _form(self, rng: Random, symbol: str, depth: int) -> Production:
        """Sample a production; extremes of ordered symbols get half of the probability."""
        forms = self.forms[symbol]
        if symbol in self.ordered and rng.random() < 0.5:
            return rng.choice([*forms[:2], *forms[-2:]])
        return rng.choice(forms if depth > 0 else [form for form in forms if symbol not in form.holes])

    def mutate(self, rng: Random, tree: Tree) -> Tree:
        """Mutate a tree: resample a part, move to a neighbour in an order, add a rule or remove one."""
        change = rng.choice(
            (
                self._resample_part,
                self._resample_part,
                self._nudge_part,
                self._nudge_part,
                self._add_rule,
                self._remove_rule,
            )
        )
        return self._keep_if_small(change(rng, tree), tree)

    def cross(self, rng: Random, tree: Tree, other: Tree) -> Tree:
        """Cross two trees: replace a part by one of the other tree with the same symbol."""
        path, own = rng.choice(list(tree.nodes()))
        given = [node for _, node in other.nodes() if node.symbol == own.symbol]
        return self._keep_if_small(tree.replace_part(path, rng.choice(given)), tree) if given else tree

    @staticmethod
    def _keep_if_small(tree: Tree, otherwise: Tree) -> Tree:
        return tree if tree.size() <= MAX_NODES else otherwise

    def _resample_part(self, rng: Random, tree: Tree) -> Tree:
        path, node = rng.choice(list(tree.nodes()))
        return tree.replace_part(path, self.sample_tree(rng, node.symbol, depth=2))

    def _nudge_part(self, rng: Random, tree: Tree) -> Tree:
        places = [(path, node) for path, node in tree.nodes() if node.symbol in self.ordered]
        if not places:
            return self._resample_part(rng, tree)
        path, node = rng.choice(places)
        forms = self.forms[node.symbol]
        place = forms.index(node.production) + rng.choice((-1, 1))
        return tree.replace_part(path, Tree(forms[min(max(place, 0), len(forms) - 1)]))

    def _add_rule(self, rng: Random, tree: Tree) -> Tree:
        """Insert a rule ahead of another."""
        path, node = rng.choice(self._rules(tree))
        form = rng.choice([form for form in self.forms[PROGRAM] if PROGRAM in form.holes])
        parts = [node if hole == PROGRAM else self.sample_tree(rng, hole, depth=1) for hole in form.holes]
        return tree.replace_part(path, Tree(form, tuple(parts)))

    def _remove_rule(self, rng: Random, tree: Tree) -> Tree:
        """Remove a rule, unless it is the only one."""
        path, node = rng.choice(self._rules(tree))
        rest = [part for part in node.parts if part.symbol == PROGRAM]
        return tree.replace_part(path, rest[0]) if rest else self._resample_part(rng, tree)

    @staticmethod
    def _rules(tree: Tree) -> list[tuple[tuple[int, ...], Tree]]:
        return [(path, node) for path, node in tree.nodes() if node.symbol == PROGRAM]
