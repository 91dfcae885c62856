"""Wording of a seat's answers: names of kinds of move and keys, extra keys, and number formats.

Without a table ``[answer]`` answers use the names that the game declares. The table replaces them:

    [answer]
    kind = "decision"           # key of the kind of move
    order = "message, gain"      # order of keys in forms; others follow
    thousands = ","              # separators and unit for parsing quoted numbers and numbers with a unit
    decimal = "."
    unit = "$"                   # "points": texts show 5 points instead of $5
    others = "ignored"           # unknown keys; without this they are invalid
    [answer.kinds]
    offer = ""                   # identified by its keys alone
    accept = "accept"            # or alternatives separated by |: the first is shown, all are parsed
    [answer.keys]
    gain = "{own}_gain"          # fields of moves, and complementary amounts that must agree with them
    other_gain = "{other}_gain"
    [answer.docs]
    other_gain = "what {other} receives"
    [answer.extra]
    reason = "why you do so"     # text keys that are not part of the move
    [answer.said]
    bid = "I will bid {number} | my bid is {number}"   # sentences parsed if there is no JSON
    [answer.not_followed_by]                           # object: the first match counts, if unique
    bid = "% | per | times"                            # numbers followed by these do not count

Fields in braces are those of ``answer_fields(seat, names)`` of the text module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.contract import ActionSchema, Choice, Invalid, Kind, Legal, Message, format_exact, short_repr
from econzoo.envs.core.faces.prompts import ANSWER, MAX_EXTRA, SHARED_TEXTS, Prompts, text_module

if TYPE_CHECKING:
    from econzoo.envs.core.contract import Game

SINGLE_KEYS = ("kind", "order", "thousands", "decimal", "unit", "others")
TABLE_NAMES = ("kinds", "keys", "docs", "extra", "said", "not_followed_by")


class Wording:
    """Names and number formats in the answers of a seat."""

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
        self.sentences = {name[5:]: _split_alternatives(text) for name, text in own.items() if name.startswith("said.")}
        self._excluded_suffixes = {n: _split_alternatives(own.get(f"not_followed_by.{n}", "")) for n in self.sentences}
        _check(self, own, fields_of)

    def name(self, kind: Kind, messages: int = True) -> str:
        """Return the name of a kind of move; empty if its keys identify it."""
        return next(iter(self._kind_names(kind, messages)), "") if len(self.actions.kinds) > 1 else ""

    def _kind_names(self, kind: Kind, messages: int) -> list[str]:
        return self._names[kind.name] or ([] if self.parts(kind, messages) else [kind.name])

    def key(self, field: str) -> str:
        return self._keys[field]

    def doc(self, field: str, otherwise: str) -> str:
        return self._docs.get(field, otherwise)

    def parts(self, kind: Kind, messages: int) -> list[str]:
        """Return the fields, complementary amounts and extra keys of a kind of move in display order."""
        fields = [n for n, mark in kind.marks.items() if messages or not isinstance(mark, Message)]
        numbers = [n for n in fields if n in kind.numbers]
        complements = [n for n in kind.complements if n in self._keys and not self.is_plain]
        names = [*numbers, *complements, *fields[len(numbers) :], *self.extra]
        return sorted(names, key=lambda n: self._order.index(n) if n in self._order else len(self._order))

    def parse(self, plain: Any, legal: Legal) -> Any:
        """Convert an answer to a typed action, or an `Invalid` in this wording."""
        if self.is_plain or not isinstance(plain, Mapping):
            return self.actions.parse(plain, legal)
        kind = self._kind(plain, legal)
        answer = kind if isinstance(kind, Invalid) else self._canonical_answer(plain, kind)
        action = answer if isinstance(answer, Invalid) else self.actions.parse(answer, legal)
        return self.translate_error(action) if isinstance(action, Invalid) and action is not answer else action

    def _kind(self, plain: Mapping[str, Any], legal: Legal) -> Kind | Invalid:
        """Identify the kind of move of an answer by its name or keys."""
        kinds = self.actions.kinds
        if len(kinds) == 1:
            return kinds[0]
        given, words = plain.get(self.kind_key), legal.messages
        if given is None:
            meant = [k for k in kinds if not self._kind_names(k, words) and any(n in plain for n in self._kind_keys(k))]
        else:
            meant = [k for k in kinds if given in self._kind_names(k, words)]
        possible = [kind for kind in meant if legal.kinds[self.actions.index[kind.name]]]
        if len(possible) == 1:
            return possible[0]
        if given is None and not meant:
            return Invalid("missing_key", f'the key "{self.kind_key}" is missing; {self.describe_allowed(legal)}')
        if given is None:
            shown = " and ".join(f'"{n}"' for n in self._kind_keys(meant[0]) if n in plain)
        else:
            shown = short_repr(given)
        if meant:
            return Invalid("illegal_now", f"{shown} is not possible now; {self.describe_allowed(legal)}")
        return Invalid("unknown_kind", f'{shown} is no value of "{self.kind_key}"; {self.describe_allowed(legal)}')

    def _kind_keys(self, kind: Kind) -> list[str]:
        return [self.key(name) for name in (*kind.marks, *kind.complements) if name in self._keys]

    def describe_allowed(self, legal: Legal) -> str:
        """List the legal kinds of move, for feedback."""
        allowed = [self.actions.kinds[i] for i in self.actions.order if legal.kinds[i]]
        names = [self.name(kind, legal.messages) or ", ".join(self._kind_keys(kind)) for kind in allowed]
        return f"allowed now: {', '.join(names) or 'nothing'}"

    def _canonical_answer(self, plain: Mapping[str, Any], kind: Kind) -> dict[str, Any] | Invalid:
        """Translate the names in an answer to those that the game declares."""
        fields = {self.key(name): name for name in (*kind.marks, *kind.complements) if name in self._keys}
        has_kind_key = len(self.actions.kinds) > 1
        out = {"kind": kind.name} if has_kind_key else {}
        for key, value in plain.items():
            if key in fields:
                name = fields[key]
                out[name] = self._read_value(kind.numbers.get(name, kind.complements.get(name)), value)
            elif key in self.extra and not isinstance(value, str):
                return Invalid("wrong_type", f'"{key}" must be text; got {short_repr(value)}')
            elif not (key in self.extra or (key == self.kind_key and has_kind_key) or self._ignores_other_keys):
                allowed = ", ".join([*fields, *self.extra])
                return Invalid("unknown_key", f"unknown key {short_repr(key)}; allowed: {allowed}")
        missing = next((key for key, name in fields.items() if name in kind.numbers and name not in out), None)
        return out if missing is None else Invalid("missing_key", f'the key "{missing}" is missing')

    def _read_value(self, mark: Any, value: Any) -> Any:
        if isinstance(value, list):
            return [self._read_value(mark, one) for one in value]
        if mark is None or isinstance(mark, Choice) or not isinstance(value, str):
            return value
        number = self.parse_number(value)
        return value if number is None else number

    def parse_number(self, text: str) -> float | None:
        """Parse a number in this wording's format; None if it is not one."""
        if not self.reads_numbers or not re.fullmatch(self.number_pattern, text.strip()):
            return None
        thousands, decimal, unit = self.signs
        bare = text.replace(unit, "").replace(thousands, "")
        return float(bare.strip().replace(decimal, "."))

    def localize_number(self, text: str) -> str:
        """Convert a number in texts (``"6,000.50"``) to this format and unit; return other texts unchanged."""
        if self.signs[2].isalpha() and re.fullmatch(r"-?[$][\d,.]+", text):
            return f"{self.localize_number(text.replace('$', ''))} {self.signs[2]}"
        if self.signs[:2] in (("", "."), (",", ".")) or not re.fullmatch(r"-?[$]?\d{1,3}(?:,\d{3})*(?:\.\d+)?", text):
            return text
        return text.translate({ord(","): self.signs[0], ord("."): self.signs[1]})

    @cached_property
    def number_pattern(self) -> str:
        """Pattern of a number with optional sign, unit, thousands separators and decimals."""
        thousands, decimal, unit = map(re.escape, self.signs)
        digits = rf"(?:\d{{1,3}}(?:{thousands}\d{{3}})+|\d{{1,30}})" if thousands else r"\d{1,30}"
        left, right = (rf"(?:{unit}\s?)?", rf"(?:\s?{unit})?") if unit else ("", "")
        return rf"-?{left}{digits}(?:{decimal}\d{{1,30}})?{right}"

    def repair_numbers(self, text: str) -> str | Invalid:
        """Convert bare numbers in an object, such as 6,000 or $6, to JSON numbers."""
        if not self.reads_numbers:
            return text
        unclear = Invalid("bad_json", "a number can be read in two ways; write it without separators")
        bare = re.compile(rf'"(?:[^"\\]|\\.)*"|(:\s*)({self.number_pattern})(?=\s*[,}}])')
        out, last = [], 0
        for match in bare.finditer(text):
            # A text, which the pattern consumes so that nothing inside is mended.
            if match[2] is None:
                continue
            # 6.000 is six in JSON and six thousand in this format.
            if self.signs[0] == "." and "." in match[2]:
                return unclear
            out += [text[last : match.start(2)], format_exact(self.parse_number(match[2]) or 0.0)]
            last = match.end()
        return "".join([*out, text[last:]])

    def parse_sentences(self, text: str) -> dict[str, float] | Invalid | None:
        """Parse the first matching sentence in a text; None if there is none."""
        for field, sentences in self._sentence_patterns.items():
            for sentence in sentences:
                values = sorted({self.parse_number(one) or 0.0 for one in sentence.findall(text)})
                if len(values) > 1:
                    listed = " and ".join(map(format_exact, values))
                    message = f'the reply says several values of "{self.key(field)}": {listed}; say one'
                    return Invalid("unclear", message)
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
        left, _, right = (r"\s+".join(map(re.escape, part.split())) for part in sentence.partition("{number}"))
        excluded = self._excluded_suffixes[field]
        ends = "|".join(re.escape(word) + (r"\b" if word[-1].isalpha() else "") for word in excluded)
        beyond = rf"(?!\s*(?:{ends}))" if ends else ""
        # The number must end here: neither the 6 of 6.5 nor that of 6th counts.
        return rf"(?<!\w){left}\s*({self.number_pattern})(?![\d.,]*\d|\w){beyond}\s*{right}"

    def translate_error(self, problem: Invalid) -> Invalid:
        """Translate the names in an error to this wording."""
        names = {**self._keys, **{kind.name: self.name(kind) or kind.name for kind in self.actions.kinds}}
        return problem._replace(text=re.sub(r'"(\w+)"', lambda m: f'"{names.get(m[1], m[1])}"', problem.text))

    def to_answer(self, action: Any, legal: Legal | None = None) -> dict[str, Any]:
        """Convert a typed action to an answer; complementary amounts require `legal`."""
        plain = self.actions.to_plain(action)
        if self.is_plain:
            return plain
        kind = self.actions.kinds[self.actions.index[plain.pop("kind", self.actions.names[0])]]
        if legal is not None:
            plain.update(self._complement_values(kind, plain, legal))
        messages = True if legal is None else legal.messages
        name = self.name(kind, messages)
        answer = {self.key(part): plain[part] for part in self.parts(kind, messages) if part in plain}
        if not (name or answer) and kind.message:  # identified by its message key alone
            answer = {self.key(kind.message): ""}
        return ({self.kind_key: name} if name else {}) | answer

    def _complement_values(self, kind: Kind, plain: Mapping[str, Any], legal: Legal) -> Iterator[tuple[str, float]]:
        at = self.actions.fit_to_bounds(legal.bounds).first[self.actions.index[kind.name]]
        for name, expected in kind.complements.items():
            if name in self._keys:
                yield name, expected(legal.bounds[at][1], plain[next(iter(kind.numbers))])

    def json_schema(self, legal: Legal) -> dict[str, Any]:
        """JSON schema of the legal answers, checked key by key."""
        schema = self.actions.json_schema(legal)
        if self.is_plain:
            return schema
        allowed = [self.actions.kinds[i] for i in self.actions.order if legal.kinds[i]]
        schemas = schema.get("anyOf", [schema])
        options = [self._kind_schema(kind, one, legal) for kind, one in zip(allowed, schemas, strict=True)]
        return options[0] if len(options) == 1 else {"anyOf": options}

    def _kind_schema(self, kind: Kind, schema: Mapping[str, Any], legal: Legal) -> dict[str, Any]:
        declared, properties = schema["properties"], dict[str, Any]()
        if name := self.name(kind, legal.messages):
            properties[self.kind_key] = {"const": name}
        for part in self.parts(kind, legal.messages):
            if part in self.extra:
                properties[part] = {"type": "string", "maxLength": MAX_EXTRA, "description": self.extra[part]}
            elif part in kind.complements:
                properties[self.key(part)] = {"type": "number", "description": self.doc(part, part)}
            else:
                doc = self.doc(part, declared[part]["description"])
                properties[self.key(part)] = {**declared[part], "description": doc}
        return {**schema, "properties": properties, "required": list(properties)}


def seat_wording(game: Game, prompts: Prompts, actions: ActionSchema, seat: int, roles: tuple[str, ...]) -> Wording:
    """Return the wording of a seat, with the fields of the game's text module."""
    fields = getattr(text_module_of(game, prompts), "answer_fields", None)
    return Wording(actions, prompts, fields(seat, roles) if fields else {})


def text_module_of(game: Game, prompts: Prompts) -> Any:
    """Return the text module of the game or prompt set."""
    name = prompts.get("set")
    return game.text if name is None else text_module(game.package, name)


def declared_wording(actions: ActionSchema) -> Wording:
    """Return the wording with the names that a game declares and the shared texts."""
    return Wording(actions, SHARED_TEXTS, {})


def _answer_templates(prompts: Prompts, fields: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, text in prompts.items():
        if name.startswith(f"{ANSWER}."):
            try:
                value = _format_sentence(text, fields) if ".said." in name else text.format_map(fields)
                yield name[len(ANSWER) + 1 :], value
            except (KeyError, ValueError, IndexError, AttributeError):
                expected = ", ".join(fields) or "none"
                raise ValueError(f"prompts: {name!r} has an unknown field: expected {expected}") from None


def _format_sentence(text: str, fields: Mapping[str, str]) -> str:
    return text.format_map({**fields, "number": "{number}"})


def _split_alternatives(text: str) -> list[str]:
    return [one.strip() for one in text.split("|") if one.strip()]


def _is_hidden(name: str, actions: ActionSchema, own: Mapping[str, str]) -> bool:
    """Whether a complementary amount is omitted, because the table of answers does not name it."""
    beside = any(name in kind.complements for kind in actions.kinds)
    return beside and bool(own) and f"keys.{name}" not in own


def _check(words: Wording, own: Mapping[str, str], fields: list[str]) -> None:
    tables = {"kinds": words.actions.names, "keys": fields, "docs": fields, "said": fields, "not_followed_by": fields}
    for name in own:
        table, _, rest = name.partition(".")
        if (
            (not rest and name not in SINGLE_KEYS)
            or (rest and table not in TABLE_NAMES)
            or rest not in tables.get(table, (rest,))
        ):
            nested = [f"{t}.{n}" for t, names in tables.items() for n in dict.fromkeys(names)]
            expected = ", ".join([*SINGLE_KEYS, *nested, "extra.NAME"])
            raise ValueError(f"prompts: unknown text 'answer.{name}': expected {expected}")
    keys = [*words._keys.values(), *words.extra, *([words.kind_key] if len(words.actions.kinds) > 1 else [])]
    twice = next((key for key in keys if keys.count(key) > 1 or not key), None)
    if own and twice is not None:
        raise ValueError(f"prompts: duplicate answer key {twice!r}")
    if own.get("others", "ignored") != "ignored":
        raise ValueError(f"prompts: invalid answer.others={own['others']!r}: expected 'ignored'")
