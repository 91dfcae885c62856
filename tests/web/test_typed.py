"""Options as they are typed into forms: no number is taken for another one, and what is wrong is told."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

from visitor import phrase

from econzoo.envs.core.contract import Integer, OneOf, Option, OrNone, Real, declared_options
from econzoo.people.manage.judgings import JudgingForm
from econzoo.people.manage.new_collection import CollectionForm
from econzoo.people.server import CURRENT_SITE, Fields, ShortText, new_site, parse_count, parse_number
from econzoo.people.table import Terms
from econzoo.people.table.choices import SEED_OPTION
from econzoo.people.texts import languages, load_texts
from refusals import refuses


@pytest.fixture(autouse=True)
def here(request):
    """In the language of the test, by default English."""
    params = getattr(request.node, "callspec", None)
    before = CURRENT_SITE.set(new_site(texts=(params.params if params else {}).get("lang", "en")))
    yield
    CURRENT_SITE.reset(before)


class Form(NamedTuple):
    count: Annotated[int, Option(Integer(1, 20), "How many.")] = 3
    cost: Annotated[float | None, Option(OrNone(Real(0, is_low_excluded=True)), "How dear.")] = None
    kind: Annotated[str, Option(OneOf("one", "two"), "Which.")] = "one"
    title: Annotated[str, Option(ShortText(4), "What it is called.")] = ""


LABELS = {"count": "manage.seeds", "cost": "manage.max_cost", "kind": "terms.policy", "title": "manage.name"}


def form(**typed: str) -> Fields:
    return Fields(declared_options(Form), LABELS, typed)


def test_what_is_typed_is_read_and_nothing_is_the_default():
    for typed, read in (
        ({}, Form()),
        ({"count": " 07 ", "cost": " "}, Form(count=7)),
        ({"count": "0000000000010", "cost": "$1,000.5"}, Form(count=10, cost=1000.5)),
        ({"count": "20", "cost": "5", "kind": "two", "title": " abc "}, Form(20, 5.0, "two", "abc")),
    ):
        assert Form(**form(**typed).values()) == read, typed


def test_what_is_not_allowed_is_told_with_what_is():
    for typed in ("0", "21", "-7", "1.0", "1e1", "\u00b2", "x", "1_0", "0" * 40 + "1", "9" * 5000):
        with refuses(ValueError, phrase("manage.seeds"), f"'{typed[:40]}'", 1, 20):
            form(count=typed).values()


def test_each_domain_refuses():
    for name, typed, *allowed in (
        ("cost", "0", 0),
        ("cost", "free", 0),
        ("kind", "three", "one", "two"),
        ("title", "abcde", 4),
    ):
        with refuses(ValueError, phrase(LABELS[name]), f"'{typed}'", *allowed):
            form(**{name: typed}).values()


def test_a_field_is_shown_as_it_is_declared():
    fields = {one.name: one for one in form(kind="two")}
    assert [one.mode for one in fields.values()] == ["numeric", "decimal", "", ""]
    assert [*fields["kind"].options] == ["one", "two"]
    assert (fields["kind"].value, fields["title"].longest, fields["count"].doc) == ("two", 4, "How many.")


NUMBERS = {
    "en": {"1,000": 1000, "1,234,567.5": 1234567.5, "1.5": 1.5, "-3": -3},
    "de": {"1,5": 1.5, "1.000": 1000},
}
NO_NUMBERS = {
    "en": ("1,5", "1,0000", "", "nan", "inf", "1e5", "1_000", "$1", "1 000", "1" * 41, "\N{PILE OF POO}"),
    "de": ("1.5",),
}


@pytest.mark.parametrize("lang", ["en", "de"])
def test_a_number_in_the_language_of_the_pages(lang):
    for typed, read in NUMBERS[lang].items():
        assert parse_number(typed) == read, typed
    for typed in NO_NUMBERS[lang]:
        assert parse_number(typed) == typed


@pytest.mark.parametrize("lang", ["en", "de"])
def test_what_stands_in_an_input_can_be_sent_as_it_is(lang):
    fields = Fields(declared_options(Form), LABELS, {}, {"cost": 2.5, "count": 12})
    again = Fields(declared_options(Form), LABELS, {one.name: one.value for one in fields})
    assert again.values()["cost"] == 2.5
    assert again.values()["count"] == 12


def test_an_address_without_a_number_has_another_one():
    assert parse_count("7", 3) == 7
    for typed in ("", "-1", "1.0", "x", "\u00b2", "9" * 10):
        assert parse_count(typed, 3) == 3, typed


@pytest.mark.parametrize("lang", sorted({*languages()} - {"en"}))
def test_every_form_is_told_in_every_language(lang):
    """Meanings of options, and what is allowed where that is words or a range."""
    forms = [*map(declared_options, (JudgingForm, CollectionForm, Terms)), [SEED_OPTION]]
    known = load_texts(lang)
    for option in [one.option for declared in forms for one in declared]:
        assert known.phrase(option.meaning) != option.meaning
        domain = option.domain.domain if isinstance(option.domain, OrNone) else option.domain
        assert known.phrase(domain.value_range) != domain.value_range
