"""The list of packages in pyproject.toml is the tree's, and every package says in one sentence what it is."""

import ast
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("spec", "compiler", "runtime", "outputs", "bench", "cli")


def _packages() -> set[str]:
    found = set()
    for folder in FOLDERS:
        for init in (ROOT / folder).rglob("__init__.py"):
            found.add("evalspec." + ".".join(init.parent.relative_to(ROOT).parts))
    return found


def test_every_package_of_the_tree_is_in_the_wheel() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    assert set(listed) == _packages()


def test_every_folder_with_modules_is_a_package() -> None:
    modules = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    folders = {path.parent for path in modules if ROOT / "bench/examples" not in path.parents}  # those are data
    assert [str(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_every_module_opens_with_a_docstring() -> None:
    bare = [
        str(path.relative_to(ROOT))
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        if ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) is None
    ]
    assert bare == []


def test_only_the_command_line_prints() -> None:
    printing = [
        str(path.relative_to(ROOT))
        for folder in FOLDERS
        if folder != "cli"
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert printing == []


def test_no_sql_stands_in_python_strings() -> None:
    verbs = ("select ", "insert into ", "with recursive ", "create table ", "create view ")
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if node.value.lstrip().lower().startswith(verbs) and " from " in node.value.lower()
    ]
    assert found == []
