"""The house rules: imports go down only, packages are declared, the wheel is complete, help is quick to import."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ("theory", "constructions", "checks", "paper_figs")
# What each floor may import, besides itself and the standard library.
ALLOWED = {
    "theory": {"numpy", "sympy", "array_api_compat", "jaxtyping", "flint"},
    "constructions": {"numpy", "sympy", "array_api_compat", "jaxtyping"},
    "checks": {"numpy", "scipy", "sympy", "flint", "hypothesis", "pyarrow", "pebble", "jsonschema", "filelock"}
    | {"platformdirs"},
    "paper_figs": {"numpy", "matplotlib", "pyarrow", "PIL"},
    # pytest: the plugin, which pytest alone loads.
    "headproof": {"typer", "rich", "jinja2", "latex2mathml", "pytest"},
}
BELOW = {
    "theory": set(),
    "constructions": {"theory"},
    "checks": {"theory", "constructions", ""},
    "paper_figs": {"theory", "constructions", "checks", ""},
    "headproof": {"theory", "constructions", "checks", "paper_figs", ""},
}
# Below checks/trained only.
TRAINED = {"torch", "transformers", "safetensors", "gguf", "huggingface_hub", "distributed"}
LAZY = {"constructions": {"torch"}, "headproof": {"torch"}}  # inside functions only


def modules() -> list[tuple[str, Path]]:
    found = [(floor, path) for floor in FLOORS for path in sorted((ROOT / floor).rglob("*.py"))]
    return found + [("headproof", path) for path in own_modules()]


def own_modules() -> list[Path]:
    """The modules of the top floor: of its folders, not of those that it links to."""
    folders = [ROOT / "headproof", *(path for path in (ROOT / "headproof").iterdir() if path.is_dir())]
    return sorted(path for folder in folders if not folder.is_symlink() for path in folder.glob("*.py"))


def imports(path: Path) -> list[tuple[str, bool]]:
    """(dotted name, whether at module level) of everything a file imports."""
    tree = ast.parse(path.read_text("utf-8"))
    top = {id(node) for node in tree.body}
    found = []
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [node.module or ""]
            if node.module == "headproof":
                names = [f"headproof.{alias.name}" for alias in node.names]
        found += [(name, id(node) in top) for name in names]
    return found


def faults(floor: str, path: Path) -> list[str]:
    wrong = []
    trained = "trained" in path.parts
    for name, at_top in imports(path):
        head, *rest = name.split(".")
        if head in sys.stdlib_module_names:
            continue
        if head == "headproof":
            part = rest[0] if rest and rest[0] in FLOORS else ""
            if part != floor and part not in BELOW[floor] and not (floor == "headproof" and part == ""):
                wrong.append(f"{path.relative_to(ROOT)} imports upward: {name}")
        elif head in TRAINED:
            if not trained and (at_top or head not in LAZY.get(floor, set())):
                wrong.append(f"{path.relative_to(ROOT)} imports {name} outside checks/trained")
        elif head not in ALLOWED[floor]:
            wrong.append(f"{path.relative_to(ROOT)} imports {name}, which its floor may not")
    return wrong


@pytest.mark.parametrize(("floor", "path"), modules(), ids=lambda value: value.name if isinstance(value, Path) else "")
def test_imports_go_down_only(floor: str, path: Path) -> None:
    assert faults(floor, path) == []


@pytest.mark.parametrize(
    ("floor", "line"),
    [
        ("theory", "from headproof.checks.ledger import write"),
        ("theory", "import torch"),
        ("constructions", "from headproof.paper_figs.figure import Figure"),
        ("checks", "import matplotlib.pyplot"),
        ("checks", "def f():\n    import torch"),
    ],
)
def test_an_upward_import_is_caught(floor: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    (tmp_path / "bad.py").write_text(line)
    assert len(faults(floor, tmp_path / "bad.py")) == 1


def test_every_package_is_declared() -> None:
    setup = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    folders = {"headproof"} | {
        ".".join(("headproof", *path.parent.relative_to(ROOT).parts))
        for floor in FLOORS
        for path in (ROOT / floor).rglob("__init__.py")
    }
    # Packages of the top floor lie below headproof/ already, so that setuptools finds them there.
    own = {".".join(path.parent.relative_to(ROOT).parts) for path in own_modules() if path.name == "__init__.py"}
    assert set(setup["packages"]) == folders | own
    assert {name: f"headproof.{folder.replace('/', '.')}" if folder != "headproof" else "headproof"
            for name, folder in setup["package-dir"].items()} == {name: name for name in folders}  # fmt: skip


@pytest.mark.parametrize("floor", FLOORS)
def test_a_bare_folder_name_is_refused(floor: str) -> None:
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import {floor}"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"import this package as headproof.{floor}" in run.stderr


@pytest.mark.parametrize("floor", FLOORS)
def test_the_links_point_to_the_folders(floor: str) -> None:
    link = ROOT / "headproof" / floor
    assert link.is_symlink()
    assert link.resolve() == ROOT / floor


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, headproof.cli; print([m for m in ('torch', 'sympy', 'numpy', 'rich') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_core_needs_no_torch() -> None:
    """Topics, claims and their checks load, and a theorem is decided, where torch cannot be imported."""
    code = (
        "import sys; sys.modules['torch'] = None; sys.modules['transformers'] = None\n"
        "from headproof.checks.registry import Context, claims\n"
        "from headproof.checks.deciding import decide_claim\n"
        "import headproof.constructions.expressivity\n"
        "print(decide_claim('dec.definitions.both-constant', Context())['verdict'])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "HOLDS"


@pytest.mark.slow
def test_the_wheel_holds_code_and_data(tmp_path: Path) -> None:
    """Built from a copy, installed apart from this tree, and asked for its ledger, its schema and its style."""
    copy = tmp_path / "source"
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for name in names:
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_symlink():
            target.symlink_to((ROOT / name).readlink())
        elif (ROOT / name).is_file():
            target.write_bytes((ROOT / name).read_bytes())
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    constraints = ["-c", str(ROOT / "constraints.txt")]
    subprocess.run([*pip, "wheel", "--no-deps", *constraints, "-w", str(tmp_path), str(copy)], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    expected = {
        str(path.relative_to(ROOT) if floor == "headproof" else Path("headproof", path.relative_to(ROOT)))
        for floor, path in modules()
    }
    assert expected <= held
    installed = tmp_path / "installed"
    subprocess.run([*pip, "install", "--no-deps", *constraints, "--target", str(installed), str(wheel)], check=True)
    code = (
        "import headproof, sys; assert headproof.__file__.startswith(sys.path[0]), headproof.__file__\n"
        "from importlib.resources import files\n"
        "from headproof.checks import ledger, report\n"
        "assert ledger.expected('quick')['claims'] and report.schema()['$id']\n"
        "assert (files('headproof.paper_figs') / 'house.mplstyle').is_file()\n"
        "assert (files('headproof') / 'py.typed').is_file()\n"
        "templates = files('headproof.reporting') / 'templates'\n"
        "assert {'report.html', 'report.md', 'report.css', 'report.js'} <= {each.name for each in templates.iterdir()}"
    )
    subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(installed)!r})\n{code}"], check=True, cwd=tmp_path
    )
