"""YAML that strangers may have written."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract.validation import MAX_NESTING
from econzoo.envs.core.extras import explain_missing_library

MAX_YAML_LENGTH = 2**18
"""Characters: each can become kilobytes while it is read."""

MAX_ALIASES = 10
"""A hundred of them can stand for gigabytes."""


def parse_yaml(text: str, what: str) -> Any:
    """The value of a YAML text, of plain types alone.

    Args:
        text: The text.
        what: Names it in messages, for example ``"the file a.yaml"``.

    Raises:
        ValueError: It is no YAML, is longer than `LONGEST`, names a key twice, has more than `MAX_ALIASES` aliases or
            is more than `DEEPEST` deep.
        MissingLibraryError: PyYAML is not installed.
    """
    if len(text) > MAX_YAML_LENGTH:
        raise ValueError(f"{what} has {len(text):,} characters; allowed in YAML: {MAX_YAML_LENGTH:,}")
    with explain_missing_library(what):
        import yaml

    class Careful(yaml.SafeLoader):
        aliases = depth = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            self.aliases += self.check_event(yaml.AliasEvent)
            if self.aliases > MAX_ALIASES:
                raise ValueError(f"it has more than {MAX_ALIASES} aliases (*NAME)")
            self.depth += 1
            if self.depth > MAX_NESTING:
                raise ValueError(f"it is nested too deeply; allowed: {MAX_NESTING} levels")
            node = super().compose_node(parent, index)
            self.depth -= 1
            return node

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise ValueError(f"it has {twice!r} twice")
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(text, Careful)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise ValueError(f"{what} is not YAML: {' '.join(str(error).split())}") from None
