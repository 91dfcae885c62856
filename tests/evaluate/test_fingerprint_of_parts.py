"""A player is known by its files: its model, its persona and its texts."""

from __future__ import annotations

from econzoo.evaluate.run.design import fingerprint, fingerprints


def test_a_changed_persona_file_changes_the_fingerprint(tmp_path):
    path = tmp_path / "own.yaml"
    spec = f"hf:nowhere?persona={path}:Frida&reasoning=cot"
    path.write_text("one")
    before = fingerprints([spec])
    assert before == {spec: fingerprint(path)}
    path.write_text("other")
    assert fingerprints([spec]) != before


def test_two_files_of_a_player_both_count(tmp_path):
    model, persona = tmp_path / "model", tmp_path / "own.yaml"
    model.write_text("weights")
    persona.write_text("one")
    spec = f"hf:{model}?persona={persona}"
    before = fingerprints([spec])
    for path in (model, persona):
        text = path.read_text()
        path.write_text(text + "!")
        assert fingerprints([spec]) != before
        path.write_text(text)
    assert fingerprints([spec]) == before


def test_texts_that_are_no_files_have_none():
    assert fingerprints(["mock:" + "x" * 5000, "mock:*?persona=David", "fair"]) == {}
