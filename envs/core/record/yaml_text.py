"""Parsing of untrusted YAML."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract.validation import MAX_NESTING
from econzoo.envs.core.extras import explain_missing_library

MAX_YAML_LENGTH = 2**18
"""Maximum characters: each can use kilobytes while parsing."""

MAX_ALIASES = 10
"""Maximum aliases: a hundred can expand to gigabytes."""


def parse_yaml(text: str, what: str) -> Any:
    """Parse YAML of plain types.

    Args:
        text: YAML text.
        what: Name in error messages, such as ``"the file a.yaml"``.

    Raises:
        ValueError: Invalid YAML, duplicate keys, or longer, deeper or with more aliases than the limits.
        MissingLibraryError: PyYAML is not installed.
    """
    if len(text) > MAX_YAML_LENGTH:
        raise ValueError(f"{what} has {len(text):,} characters: expected at most {MAX_YAML_LENGTH:,} of YAML")
    with explain_missing_library(what):
        import yaml

    class Careful(yaml.SafeLoader):
        aliases = depth = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            self.aliases += self.check_event(yaml.AliasEvent)
            if self.aliases > MAX_ALIASES:
                raise ValueError(f"more than {MAX_ALIASES} aliases (*NAME)")
            self.depth += 1
            if self.depth > MAX_NESTING:
                raise ValueError(f"nested too deeply: expected at most {MAX_NESTING} levels")
            node = super().compose_node(parent, index)
            self.depth -= 1
            return node

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise ValueError(f"duplicate key {twice!r}")
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(text, Careful)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise ValueError(f"{what} is not YAML: {' '.join(str(error).split())}") from None
