"""Pages that say where things are: every file, module and value they name is there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
PAGES = ("docs/architecture.md", "docs/python.md", "CONTRIBUTING.md")
# Below these a page's names are looked for; a room stands for all rooms.
PLACES = (ROOT, SOURCE, SOURCE / "tensorstone", SOURCE / "tensorstone" / "dialects" / "pytorch")
PATH = re.compile(r"(?:[\w.-]+/)+[\w.-]*|[\w-]+\.(?:py|toml|lock|jinja|md|py\.jinja)")
DOTTED = re.compile(r"tensorstone(?:\.\w+)+|stone\.\w+")
VALUE = re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]+)*")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#([\w-]+))?\)")


def quoted(page: str) -> list[str]:
    """What stands in single backticks, outside blocks of code."""
    text = re.sub(r"^```.*?^```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.findall(r"`([^`\n]+)`", text)


@cache
def values() -> set[str]:
    """Every class and every name assigned at the top of a module of ours."""
    found = set()
    for file in SOURCE.rglob("*.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.Assign):
                found.update(t.id for t in node.targets if isinstance(t, ast.Name))
    return found


@cache
def dialects() -> set[str]:
    from tensorstone.dialects.registry import dialects, versions

    return {*dialects(), *(d.name for f in versions().values() for d in f.dialects)}


def there(path: str) -> bool:
    return path in dialects() or any((place / path).exists() for place in PLACES)


@pytest.mark.parametrize("page", PAGES)
def test_every_path_a_page_names_exists(page: str) -> None:
    named = [word for word in quoted(page) if PATH.fullmatch(word)]
    named = [word for word in named if word not in ("mine.py", "./mine.py")]
    assert not [path for path in named if not there(path)]
    if page == "docs/architecture.md":
        assert len(named) > 40, "the pattern finds no paths any more"


@pytest.mark.parametrize("page", PAGES)
def test_every_value_a_page_names_exists(page: str) -> None:
    named = {word for word in quoted(page) if VALUE.fullmatch(word)}
    assert named <= values() | {"None", "True", "False"}


@pytest.mark.parametrize("page", PAGES)
def test_every_module_and_call_a_page_names_exists(page: str) -> None:
    import importlib

    for word in {match for text in quoted(page) for match in DOTTED.findall(text)}:
        name = word.replace("stone.", "tensorstone.", 1) if word.startswith("stone.") else word
        module, _, attribute = name.rpartition(".")
        found = importlib.import_module(module)
        assert hasattr(found, attribute) or importlib.util.find_spec(name), word


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_somewhere(page: str) -> None:
    for target, heading in LINK.findall((ROOT / page).read_text(encoding="utf-8")):
        if "://" in target:
            continue
        file = (ROOT / page).parent / target
        assert file.exists(), target
        if heading:
            assert heading in headings(file), f"{target}#{heading}"


def headings(file: Path) -> set[str]:
    lines = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in lines}


def table() -> dict[str, str]:
    """What the page says a package may import."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)(?:/|\.py)` \|.*\| ([^|]*) \|$", page, re.M)
    return {name: may for name, may in rows if (SOURCE / "tensorstone" / name).is_dir()}


def test_the_table_of_packages_has_them_all_and_says_what_they_import() -> None:
    packages = {path.parent.name for path in (SOURCE / "tensorstone").glob("*/__init__.py")}
    assert set(table()) == packages
    everything = packages | {"api"}
    for package, may in table().items():
        named = {word.split("/")[0] for word in re.findall(r"`([\w/.]+)`", may)}
        allowed = everything - named if "anything but" in may else named
        if package not in ("results", "support"):
            allowed = allowed | {"results", "support"}
        assert imported(package) <= allowed, package


def imported(package: str) -> set[str]:
    """The packages that a package imports."""
    found = set()
    for file in (SOURCE / "tensorstone" / package).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tensorstone."):
                found.add(str(node.module).split(".")[1])
    return found - {package}
