"""``.ci/supply_chain``: hashes of the pins, and advisories about them. Installs download, and are left to people."""

from __future__ import annotations

import json
import re
import zipfile
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

from refusals import says

pytestmark = pytest.mark.repo

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    loader = SourceFileLoader("supply_chain", str(ROOT / ".ci" / "supply_chain"))
    spec = spec_from_loader("supply_chain", loader)
    assert spec is not None
    loader.exec_module(made := module_from_spec(spec))
    return made


def test_every_pin_but_torch_has_one_hash_and_no_address(tool: ModuleType) -> None:
    assert {name: line.split()[0].partition("==")[2] for name, line in tool.hashes().items()} == {
        name: version for name, version in tool.pins().items() if name != "torch"
    }
    for line in tool.hashes().values():
        assert re.fullmatch(r"[a-z0-9-]+==[\w.!+]+ --hash=sha256:[0-9a-f]{64}", line)


def test_the_requirements_of_extras_are_those_of_pyproject(tool: ModuleType) -> None:
    core = {"numpy", "gymnasium", "pettingzoo", "typing-extensions", "typer", "rich", "lazy-loader"}
    assert {re.split("[<>=]", line)[0] for line in tool.needed([])} == core
    assert "axelrod>=4.14" in tool.needed(["programs"])
    assert "pydantic-monty>=1.4" in tool.needed(["programs"])


ADVISORIES = {
    "never fixed": ([{"introduced": "0"}], True),
    "fixed before": ([{"introduced": "0"}, {"fixed": "1.0"}], False),
    "fixed later": ([{"introduced": "0"}, {"fixed": "99999"}], True),
    "introduced later": ([{"introduced": "99999"}], False),
    "affects all until a later one": ([{"introduced": "0"}, {"last_affected": "99999"}], True),
    "back again": ([{"introduced": "0"}, {"fixed": "0.1"}, {"introduced": "0.2"}], True),
}


@pytest.mark.parametrize("name", ADVISORIES)
def test_an_advisory_is_found_if_it_is_about_the_pinned_version(
    tool: ModuleType, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events, holds = ADVISORIES[name]
    affected = {"package": {"ecosystem": "PyPI", "name": "NumPy"}, "ranges": [{"type": "ECOSYSTEM", "events": events}]}
    more = {"withdrawn": {"withdrawn": "2026"}, "of another place": {"affected": []}, "open": {}}
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for kind, values in more.items():
            archive.writestr(kind, json.dumps({"id": f"X-{kind}", "affected": [affected], **values}))
    if holds:
        with pytest.raises(SystemExit) as found:
            tool.check(str(tmp_path / "all.zip"))
        assert str(found.value).startswith("NumPy ")
        says(found.value, "X-open")
    else:
        tool.check(str(tmp_path / "all.zip"))
    says(capsys.readouterr().out, len(tool.pins()))


def test_versions_are_listed_one_by_one_too(tool: ModuleType) -> None:
    assert tool.holds("===2.4.6", "2.4.6")
    assert tool.holds("===2.4.6.0", "2.4.6")
    assert not tool.holds("===2.4.5", "2.4.6")
    assert tool.holds("===not a version", "not a version")
