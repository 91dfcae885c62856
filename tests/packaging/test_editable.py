"""The editable install of a clone: scripts beside the clone's folder import the package, not the folder."""

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


def install(clone: Path) -> None:
    pip = ["-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--no-build-isolation"]
    run(clone, *pip, "--force-reinstall", "-e", str(clone), cwd=clone)


def test_beside_the_clone_a_line_a_script_and_the_command_find_the_package(clone: Path) -> None:
    beside = clone.parent
    code = "import econzoo; print(econzoo.__file__, econzoo.play.__name__)"
    (beside / "script.py").write_text(code, encoding="utf-8")
    found = f"{clone / 'envs' / '_root' / '__init__.py'} play"
    assert run(clone, "-c", code, cwd=beside) == found
    assert run(clone, "script.py", cwd=beside) == found
    assert "bargaining" in run(clone, "-m", "econzoo", "games", cwd=beside)


@pytest.mark.long
def test_the_other_finders_keep_their_order_and_a_second_install_changes_nothing(clone: Path) -> None:
    code = "import sys; print(*(f'{finder.__module__}.{finder.__name__}' for finder in sys.meta_path))"
    first, *others = run(clone, "-c", code, cwd=clone.parent).split()
    assert first.startswith("__editable__")
    bare = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert others == bare.stdout.split()
    install(clone)
    assert run(clone, "-c", code, cwd=clone.parent).split() == [first, *others]
