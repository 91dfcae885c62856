"""The editable install of a clone: links to its folders, by a path that imports, type checkers and editors all read."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from declared import FOLDERS, ROOT

pytestmark = pytest.mark.repo

PARTS = sorted({folder.split("/")[0] for folder in FOLDERS.values()})


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder named like the package, installed editable into an environment of its own."""
    clone = tmp_path_factory.mktemp("projects") / "econzoo"
    for folder in (*PARTS, ".ci"):
        shutil.copytree(ROOT / folder, clone / folder, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in"):
        shutil.copy(ROOT / name, clone)
    venv.create(clone / ".venv", symlinks=os.name != "nt")
    purelib = Path(sysconfig.get_path("purelib", "venv", {"base": str(clone / ".venv")}))
    others = [place for place in sys.path if place.endswith(("site-packages", "dist-packages"))]
    purelib.joinpath("others.pth").write_text("\n".join(others), encoding="utf-8")
    install(clone)
    return clone


def run(clone: Path, *arguments: str, cwd: Path) -> str:
    """What the environment's interpreter prints."""
    python = Path(sysconfig.get_path("scripts", "venv", {"base": str(clone / ".venv")}), "python")
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run([python, *arguments], cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def pip(clone: Path, *words: str) -> None:
    run(clone, "-m", "pip", "-q", "--disable-pip-version-check", *words, cwd=clone)


def install(clone: Path) -> None:
    pip(clone, "install", "--no-deps", "--no-build-isolation", "--force-reinstall", "-e", str(clone))


def found(clone: Path, module: str = "econzoo") -> str | None:
    """Where an interpreter beside the clone finds a module; None: it does not, or finds a folder without a file."""
    code = f"import importlib.util as u; spec = u.find_spec({module!r}); print(spec and spec.origin)"
    told = run(clone, "-c", code, cwd=clone.parent)
    return None if told == "None" else told


def links(clone: Path) -> Path:
    return clone / "build" / "editable" / "econzoo"


def test_beside_the_clone_a_line_a_script_and_the_command_find_the_package(clone: Path) -> None:
    beside = clone.parent
    code = "import econzoo; print(econzoo.__file__, econzoo.play.__name__)"
    (beside / "script.py").write_text(code, encoding="utf-8")
    expected = f"{links(clone) / '__init__.py'} play"
    assert run(clone, "-c", code, cwd=beside) == expected
    assert run(clone, "script.py", cwd=beside) == expected
    assert "bargaining" in run(clone, "-m", "econzoo", "games", cwd=beside)


def test_the_path_of_the_links_is_all_that_is_installed(clone: Path) -> None:
    """Type checkers and editors read it; a finder they do not."""
    (pth,) = clone.rglob("__editable__*")
    assert pth.read_text(encoding="utf-8").split() == [str(links(clone).parent)]
    inside = {path.name: path.resolve() for path in links(clone).iterdir() if path.is_symlink()}
    folders = {package.partition(".")[2]: clone / folder for package, folder in FOLDERS.items() if "." in package}
    assert folders.items() <= inside.items()
    assert inside["py.typed"] == clone / FOLDERS["econzoo"] / "py.typed"


def test_a_new_module_is_found_without_a_new_install(clone: Path) -> None:
    assert found(clone, "econzoo.wrappers.new") is None
    (clone / "wrappers" / "new.py").touch()
    assert found(clone, "econzoo.wrappers.new") == str(links(clone) / "wrappers" / "new.py")


@pytest.mark.long
def test_a_second_install_disturbs_nobody_and_a_broken_one_is_mended(clone: Path) -> None:
    before = links(clone).stat()
    install(clone)
    assert links(clone).stat().st_mtime_ns == before.st_mtime_ns
    (links(clone) / "wrappers").unlink()
    (links(clone) / "wrappers").mkdir()
    install(clone)
    assert found(clone, "econzoo.wrappers.face") == str(links(clone) / "wrappers" / "face.py")


@pytest.mark.long
def test_it_goes_and_comes_back(clone: Path) -> None:
    pip(clone, "uninstall", "-y", "econzoo")
    assert found(clone) is None
    install(clone)
    assert found(clone) == str(links(clone) / "__init__.py")


@pytest.mark.long
def test_where_there_can_be_no_links_imports_work_all_the_same(clone: Path) -> None:
    shutil.rmtree(clone / "build")
    (clone / "build").touch()
    install(clone)
    code = "import econzoo.wrappers.face; print(econzoo.__file__, econzoo.wrappers.face.__file__)"
    files = clone / "envs" / "_root" / "__init__.py", clone / "wrappers" / "face.py"
    assert run(clone, "-c", code, cwd=clone).split() == [str(file) for file in files]
    (clone / "build").unlink()
    install(clone)
    assert found(clone) == str(links(clone) / "__init__.py")
