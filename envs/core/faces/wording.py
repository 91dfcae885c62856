"""How the answers of one seat are written: the names of kinds of move and keys, keys beside them, and numbers.

Without a table ``[answer]`` a move is written with the names that its game declares. The table replaces them:

    [answer]
    kind = "decision"            # the key that names the kind of move
    order = "message, gain"      # keys in the order in which they are asked for; the others follow
    thousands = ","              # numbers in quotation marks, or with a unit, are read with these signs
    decimal = "."
    unit = "$"                   # "points": amounts that texts show as $5 are then shown as 5 points
    others = "ignored"           # keys beyond these; without this they are refused
    [answer.kinds]
    offer = ""                   # told by its keys alone
    accept = "accept"            # or several with | between: the first is asked for, all are read
    [answer.keys]
    gain = "{own}_gain"          # fields of moves, and the amounts beside them that must agree with them
    other_gain = "{other}_gain"
    [answer.docs]
    other_gain = "what {other} receives"
    [answer.extra]
    reason = "why you do so"     # keys with words that stay in the reply and are no part of the move
    [answer.said]
    bid = "I will bid {number} | my bid is {number}"   # words that are read where there is no JSON object: the first
    [answer.not_before]                                # of these that stand in the reply count, if they say one number
    bid = "% | per | times"                            # a number before one of these is not meant

The fields in braces are those of ``answer_fields(seat, names)`` of the text module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.contract.actions import ActionSchema, Kind, Legal, Message
from econzoo.envs.core.contract.marks import Choice
from econzoo.envs.core.contract.validation import Invalid, format_exact, short_repr
from econzoo.envs.core.faces.prompt_sets import text_module
from econzoo.envs.core.faces.prompts import ANSWER, MAX_EXTRA, SHARED_TEXTS, Prompts

if TYPE_CHECKING:
    from econzoo.envs.core.contract.game import Game

SINGLE_KEYS = ("kind", "order", "thousands", "decimal", "unit", "others")
TABLE_NAMES = ("kinds", "keys", "docs", "extra", "said", "not_before")


class Wording:
    """The names in the answers of a seat.

    Args:
        actions: The game's kinds of move.
        prompts: Templates, with or without a table ``answer``.
        fields: What stands in the fields of these.

    Attributes:
        is_plain: Whether answers are written as the game declares them, and nothing else is read.
        kind_key: The key that names the kind of move.
        extra: Keys that are no part of the move, with what belongs there.

    Raises:
        ValueError: The table names something that the game has not, or one name stands for two things.
    """

    def __init__(self, actions: ActionSchema, prompts: Prompts, fields: Mapping[str, str]) -> None:
        own = dict(_answer_templates(prompts, fields))
        self.is_plain, self.actions, self.prompts, self.fields = not own, actions, prompts, fields
        self.kind_key = own.get("kind", "kind")
        self.extra = {name[6:]: doc for name, doc in own.items() if name.startswith("extra.")}
        self._names = {n: _split_alternatives(own.get(f"kinds.{n}", n)) for n in actions.names}
        fields_of = [name for kind in actions.kinds for name in (*kind.marks, *kind.complements)]
        self._keys = {name: own.get(f"keys.{name}", name) for name in fields_of if not _is_hidden(name, actions, own)}
        self._docs = {name[5:]: doc for name, doc in own.items() if name.startswith("docs.")}
        self._order = [name.strip() for name in own.get("order", "").split(",") if name.strip()]
        self._ignores_other_keys = own.get("others") == "ignored"
        self.signs = (own.get("thousands", ""), own.get("decimal", ".") or ".", own.get("unit", ""))
        self.reads_numbers = any(name in own for name in ("thousands", "decimal", "unit"))
        self.sentences = {name[5:]: _split_alternatives(told) for name, told in own.items() if name.startswith("said.")}
        self._excluded_suffixes = {
            name: _split_alternatives(own.get(f"not_before.{name}", "")) for name in self.sentences
        }
        _check(self, own, fields_of)

    # -- names -----------------------------------------------------------------------------------------------

    def name(self, kind: Kind, messages: int = True) -> str:
        """What a kind of move is called; empty where its keys tell it."""
        return next(iter(self._kind_names(kind, messages)), "") if len(self.actions.kinds) > 1 else ""

    def _kind_names(self, kind: Kind, messages: int) -> list[str]:
        """All its names; of a kind that has neither a name nor, now, a key, that which the game declares."""
        return self._names[kind.name] or ([] if self.parts(kind, messages) else [kind.name])

    def key(self, field: str) -> str:
        """The key of a field."""
        return self._keys[field]

    def doc(self, field: str, otherwise: str) -> str:
        """What belongs there."""
        return self._docs.get(field, otherwise)

    def parts(self, kind: Kind, messages: int) -> list[str]:
        """The fields, amounts beside them and extra keys of a kind of move in the order in which they are asked for."""
        found = [n for n, mark in kind.marks.items() if messages or not isinstance(mark, Message)]
        numbers = [n for n in found if n in kind.numbers]
        found = [
            *numbers,
            *[n for n in kind.complements if n in self._keys and not self.is_plain],
            *found[len(numbers) :],
        ]
        found += self.extra
        return sorted(found, key=lambda n: self._order.index(n) if n in self._order else len(self._order))

    # -- from answers to moves ---------------------------------------------------------------------------------

    def parse(self, plain: Any, legal: Legal) -> Any:
        """The typed action of an answer, or an `Invalid` in the words of this seat."""
        if self.is_plain or not isinstance(plain, Mapping):
            return self.actions.parse(plain, legal)
        kind = self._kind(plain, legal)
        found = kind if isinstance(kind, Invalid) else self._canonical_answer(plain, kind)
        action = found if isinstance(found, Invalid) else self.actions.parse(found, legal)
        return self.translate_error(action) if isinstance(action, Invalid) and action is not found else action

    def _kind(self, plain: Mapping[str, Any], legal: Legal) -> Kind | Invalid:
        """The kind of move that an answer means: by its name, or by its keys."""
        kinds = self.actions.kinds
        if len(kinds) == 1:
            return kinds[0]
        given, now = plain.get(self.kind_key), legal.messages
        if given is None:
            meant = [k for k in kinds if not self._kind_names(k, now) and any(n in plain for n in self._kind_keys(k))]
        else:
            meant = [k for k in kinds if given in self._kind_names(k, now)]
        possible = [kind for kind in meant if legal.kinds[self.actions.index[kind.name]]]
        if len(possible) == 1:
            return possible[0]
        if given is None and not meant:
            return Invalid("missing_key", f'the key "{self.kind_key}" is missing; {self.describe_allowed(legal)}')
        told = (
            short_repr(given)
            if given is not None
            else " and ".join(f'"{n}"' for n in self._kind_keys(meant[0]) if n in plain)
        )
        code, what = (
            ("illegal_now", "not possible now") if meant else ("unknown_kind", f'no value of "{self.kind_key}"')
        )
        return Invalid(code, f"{told} is {what}; {self.describe_allowed(legal)}")

    def _kind_keys(self, kind: Kind) -> list[str]:
        return [self.key(name) for name in (*kind.marks, *kind.complements) if name in self._keys]

    def describe_allowed(self, legal: Legal) -> str:
        """What is possible now, in the words of this seat."""
        now = [self.actions.kinds[i] for i in self.actions.order if legal.kinds[i]]
        told = [self.name(kind, legal.messages) or ", ".join(self._kind_keys(kind)) for kind in now]
        return f"allowed now: {', '.join(told) or 'nothing'}"

    def _canonical_answer(self, plain: Mapping[str, Any], kind: Kind) -> dict[str, Any] | Invalid:
        """The answer with the names that the game declares."""
        fields = {self.key(name): name for name in (*kind.marks, *kind.complements) if name in self._keys}
        out = {"kind": kind.name} if len(self.actions.kinds) > 1 else {}
        for key, value in plain.items():
            if key in fields:
                out[fields[key]] = self._read_value(
                    kind.numbers.get(fields[key], kind.complements.get(fields[key])), value
                )
            elif key in self.extra and not isinstance(value, str):
                return Invalid("wrong_type", f'"{key}" must be text; got {short_repr(value)}')
            elif not (
                key in self.extra or (key == self.kind_key and len(self.actions.kinds) > 1) or self._ignores_other_keys
            ):
                return Invalid(
                    "unknown_key", f"unknown key {short_repr(key)}; allowed: {', '.join([*fields, *self.extra])}"
                )
        missing = next((key for key, name in fields.items() if name in kind.numbers and name not in out), None)
        return out if missing is None else Invalid("missing_key", f'the key "{missing}" is missing')

    def _read_value(self, mark: Any, value: Any) -> Any:
        if isinstance(value, list):
            return [self._read_value(mark, one) for one in value]
        if mark is None or isinstance(mark, Choice) or not isinstance(value, str):
            return value
        found = self.parse_number(value)
        return value if found is None else found

    def parse_number(self, text: str) -> float | None:
        """A number as people write it, with the signs of this seat; None if it is none."""
        if not self.reads_numbers or not re.fullmatch(self.number_pattern, text.strip()):
            return None
        thousands, decimal, unit = self.signs
        bare = text.replace(unit, "").replace(thousands, "")
        return float(bare.strip().replace(decimal, "."))

    def localize_number(self, text: str) -> str:
        """A number as texts show it (``"6,000.50"``), with signs and unit of this seat; any other text as it is."""
        if self.signs[2].isalpha() and re.fullmatch(r"-?[$][\d,.]+", text):
            return f"{self.localize_number(text.replace('$', ''))} {self.signs[2]}"
        if self.signs[:2] in (("", "."), (",", ".")) or not re.fullmatch(r"-?[$]?\d{1,3}(?:,\d{3})*(?:\.\d+)?", text):
            return text
        return text.translate({ord(","): self.signs[0], ord("."): self.signs[1]})

    @cached_property
    def number_pattern(self) -> str:
        """A number with a sign, a unit, thousands separated and decimals, any of them or none."""
        thousands, decimal, unit = map(re.escape, self.signs)
        whole = rf"(?:\d{{1,3}}(?:{thousands}\d{{3}})+|\d{{1,30}})" if thousands else r"\d{1,30}"
        before, after = (rf"(?:{unit}\s?)?", rf"(?:\s?{unit})?") if unit else ("", "")
        return rf"-?{before}{whole}(?:{decimal}\d{{1,30}})?{after}"

    def repair_numbers(self, text: str) -> str | Invalid:
        """An object whose bare numbers, such as 6,000 or $6, are written as JSON has them."""
        if not self.reads_numbers:
            return text
        unclear = Invalid("bad_json", "a number can be read in two ways; write it without separators")
        bare = re.compile(rf'"(?:[^"\\]|\\.)*"|(:\s*)({self.number_pattern})(?=\s*[,}}])')
        out, last = [], 0
        for found in bare.finditer(text):
            if found[2] is None:
                continue
            if self.signs[0] == "." and "." in found[2]:
                return unclear
            out += [text[last : found.start(2)], format_exact(self.parse_number(found[2]) or 0.0)]
            last = found.end()
        return "".join([*out, text[last:]])

    def parse_sentences(self, text: str) -> dict[str, float] | Invalid | None:
        """What the first of the sentences that stand in a text says; None if it has none of them."""
        for field, sentences in self._sentence_patterns.items():
            for sentence in sentences:
                values = sorted({self.parse_number(one) or 0.0 for one in sentence.findall(text)})
                if len(values) > 1:
                    told = " and ".join(map(format_exact, values))
                    return Invalid("unclear", f'the reply says several values of "{self.key(field)}": {told}; say one')
                if values:
                    return {self.key(field): values[0]}
        return None

    @cached_property
    def _sentence_patterns(self) -> dict[str, list[re.Pattern[str]]]:
        return {
            field: [re.compile(self._sentence_pattern(field, sentence), re.IGNORECASE) for sentence in sentences]
            for field, sentences in self.sentences.items()
        }

    def _sentence_pattern(self, field: str, sentence: str) -> str:
        """Words with a number in them, whatever blanks stand between; no part of a longer number or word."""
        before, _, after = (r"\s+".join(map(re.escape, part.split())) for part in sentence.partition("{number}"))
        ends = "|".join(
            re.escape(word) + (r"\b" if word[-1].isalpha() else "") for word in self._excluded_suffixes[field]
        )
        beyond = rf"(?!\s*(?:{ends}))" if ends else ""
        return rf"(?<!\w){before}\s*({self.number_pattern})(?![\d.,]*\d|\w){beyond}\s*{after}"

    def translate_error(self, problem: Invalid) -> Invalid:
        """An error in the words of this seat."""
        names = {**self._keys, **{kind.name: self.name(kind) or kind.name for kind in self.actions.kinds}}
        return problem._replace(text=re.sub(r'"(\w+)"', lambda m: f'"{names.get(m[1], m[1])}"', problem.text))

    # -- from moves to answers ---------------------------------------------------------------------------------

    def to_answer(self, action: Any, legal: Legal | None = None) -> dict[str, Any]:
        """A typed action as its plain dictionary; amounts beside it need the limits they follow from."""
        plain = self.actions.to_plain(action)
        if self.is_plain:
            return plain
        kind = self.actions.kinds[self.actions.index[plain.pop("kind", self.actions.names[0])]]
        if legal is not None:
            plain.update(self._complement_values(kind, plain, legal))
        messages = True if legal is None else legal.messages
        name = self.name(kind, messages)
        told = {self.key(part): plain[part] for part in self.parts(kind, messages) if part in plain}
        if not (name or told) and kind.message:  # told by the key of its words alone, and without any
            told = {self.key(kind.message): ""}
        return ({self.kind_key: name} if name else {}) | told

    def _complement_values(self, kind: Kind, plain: Mapping[str, Any], legal: Legal) -> Iterator[tuple[str, float]]:
        at = self.actions.fit_to_bounds(legal.bounds).first[self.actions.index[kind.name]]
        for name, expected in kind.complements.items():
            if name in self._keys:
                yield name, expected(legal.bounds[at][1], plain[next(iter(kind.numbers))])

    def json_schema(self, legal: Legal) -> dict[str, Any]:
        """JSON schema of the answers that are legal now, as far as each key by itself can say it."""
        schema = self.actions.json_schema(legal)
        if self.is_plain:
            return schema
        now = [self.actions.kinds[i] for i in self.actions.order if legal.kinds[i]]
        options = [
            self._kind_schema(kind, one, legal) for kind, one in zip(now, schema.get("anyOf", [schema]), strict=True)
        ]
        return options[0] if len(options) == 1 else {"anyOf": options}

    def _kind_schema(self, kind: Kind, schema: Mapping[str, Any], legal: Legal) -> dict[str, Any]:
        known, properties = schema["properties"], dict[str, Any]()
        if name := self.name(kind, legal.messages):
            properties[self.kind_key] = {"const": name}
        for part in self.parts(kind, legal.messages):
            if part in self.extra:
                properties[part] = {"type": "string", "maxLength": MAX_EXTRA, "description": self.extra[part]}
            elif part in kind.complements:
                properties[self.key(part)] = {"type": "number", "description": self.doc(part, part)}
            else:
                properties[self.key(part)] = {**known[part], "description": self.doc(part, known[part]["description"])}
        return {**schema, "properties": properties, "required": list(properties)}


def seat_wording(game: Game, prompts: Prompts, actions: ActionSchema, seat: int, roles: tuple[str, ...]) -> Wording:
    """The names in the answers of a seat, with the fields that the game's text module has for them."""
    fields = getattr(text_module_of(game, prompts), "answer_fields", None)
    return Wording(actions, prompts, fields(seat, roles) if fields else {})


def text_module_of(game: Game, prompts: Prompts) -> Any:
    """The module that names the templates and fields: the game's, or that of a set of prompts."""
    name = prompts.get("set")
    return game.text if name is None else text_module(game.package, name)


def declared_wording(actions: ActionSchema) -> Wording:
    """Answers as a game declares them, told in the texts that all games share."""
    return Wording(actions, SHARED_TEXTS, {})


def _answer_templates(prompts: Prompts, fields: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, text in prompts.items():
        if name.startswith(f"{ANSWER}."):
            try:
                yield (
                    name[len(ANSWER) + 1 :],
                    _format_sentence(text, fields) if ".said." in name else text.format_map(fields),
                )
            except (KeyError, ValueError, IndexError, AttributeError):
                allowed = ", ".join(fields) or "none"
                raise ValueError(f"prompts: {name!r} has an unknown field; allowed: {allowed}") from None


def _format_sentence(text: str, fields: Mapping[str, str]) -> str:
    return text.format_map({**fields, "number": "{number}"})


def _split_alternatives(text: str) -> list[str]:
    return [one.strip() for one in text.split("|") if one.strip()]


def _is_hidden(name: str, actions: ActionSchema, own: Mapping[str, str]) -> bool:
    """Whether an amount beside a move is not spoken of: only where a table of answers names it."""
    beside = any(name in kind.complements for kind in actions.kinds)
    return beside and bool(own) and f"keys.{name}" not in own


def _check(words: Wording, own: Mapping[str, str], fields: list[str]) -> None:
    known = {"kinds": words.actions.names, "keys": fields, "docs": fields, "said": fields, "not_before": fields}
    for name in own:
        table, _, rest = name.partition(".")
        if (
            (not rest and name not in SINGLE_KEYS)
            or (rest and table not in TABLE_NAMES)
            or rest not in known.get(table, (rest,))
        ):
            allowed = ", ".join(
                [*SINGLE_KEYS, *[f"{t}.{n}" for t, names in known.items() for n in dict.fromkeys(names)]]
            )
            raise ValueError(f"prompts: unknown text 'answer.{name}'; allowed: {allowed}, extra.NAME")
    keys = [*words._keys.values(), *words.extra, *([words.kind_key] if len(words.actions.kinds) > 1 else [])]
    twice = next((key for key in keys if keys.count(key) > 1 or not key), None)
    if own and twice is not None:
        raise ValueError(
            f"prompts: the key {twice!r} of an answer stands for several things; allowed: keys that differ"
        )
    if own.get("others", "ignored") != "ignored":
        raise ValueError(f"prompts: 'answer.others' is {own['others']!r}; allowed: 'ignored'")
