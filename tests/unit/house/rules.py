"""The rules of style that no linter knows, each a function from a module to what it finds wrong there."""

import ast
from collections.abc import Callable, Iterator

from tests.unit.house.source_tree import Module, functions, imported_names

MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 50
MAX_PARAMETERS = 6
EMPTY_NAMES = frozenset({"utils", "util", "helpers", "helper", "common", "misc", "base"})
READS_ENVIRONMENT = (
    "__main__.py",
    "cli",
    "github_api/event.py",
    "process/environment.py",
    "workspace/certificates.py",
)
READS_CLOCK = ("cli", "runner")
DRAWS_NUMBERS = ("core/stats",)
PURE = ("core", "errors.py", "importers", "model", "ports.py", "render")
STARTS_PROCESSES = ("process",)
HEAVY = (
    "agentevals", "anthropic", "deepdiff", "genai_prices", "github", "onnxruntime", "openevals", "pygit2", "scipy", "tokenizers",
)  # fmt: skip
ENVIRONMENT = frozenset({"os.environ", "os.environb", "os.getenv", "os.getenvb", "os.putenv", "os.unsetenv"})
CLOCK = frozenset(
    {"datetime.now", "datetime.utcnow", "datetime.today", "date.today"}
    | {f"time.{name}" for name in ("time", "time_ns", "localtime", "gmtime", "ctime", "strftime")}
)
PROCESSES = frozenset({"fork", "forkpty", "popen", "posix_spawn", "posix_spawnp", "startfile", "system"})

Rule = Callable[[Module], Iterator[str]]


def dotted_name(node: ast.AST) -> str:
    """`a.b.c` of an attribute chain, of its last three names at most; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted_name(node.value)}.{node.attr}"
    return ""


def used_names(module: Module) -> Iterator[tuple[str, int]]:
    """(dotted name, line) of every attribute read and every name imported from a module."""
    yield from imported_names(module.tree)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute):
            yield dotted_name(node), node.lineno


def is_one_of(name: str, banned: frozenset[str]) -> bool:
    """Whether `name` is a banned `owner.member`, however its owner was reached (`dt.datetime.now`)."""
    return ".".join(name.split(".")[-2:]) in banned


def file_is_short(module: Module) -> Iterator[str]:
    """A file beyond 300 lines hides a concept that has no name yet."""
    lines = len(module.text.splitlines())
    if lines > MAX_FILE_LINES:
        yield f"{module.path} has {lines} lines (at most {MAX_FILE_LINES})"


def functions_are_short(module: Module) -> Iterator[str]:
    """A function beyond 50 lines, its docstring not counted, does more than one thing."""
    for function in functions(module):
        lines = (function.end_lineno or function.lineno) - function.lineno + 1
        if ast.get_docstring(function, clean=False) is not None:
            docstring = function.body[0]
            lines -= (docstring.end_lineno or docstring.lineno) - docstring.lineno + 1
        if lines > MAX_FUNCTION_LINES:
            yield f"{module.path}:{function.lineno} {function.name} has {lines} lines (at most {MAX_FUNCTION_LINES})"


def few_parameters(module: Module) -> Iterator[str]:
    """More than six parameters want to be a value."""
    for function in functions(module):
        arguments = function.args
        named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        count = sum(argument.arg not in {"self", "cls"} for argument in named)
        if count > MAX_PARAMETERS and not is_command(module, function):
            yield f"{module.path}:{function.lineno} {function.name} takes {count} parameters (at most {MAX_PARAMETERS})"


def is_command(module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether typer reads the signature: there each parameter is an option that a person types."""
    if module.path.startswith(("cli/", "gatebot/cli/")) and not function.name.startswith("_"):
        return True
    calls = [node.func for node in function.decorator_list if isinstance(node, ast.Call)]
    return any(isinstance(call, ast.Attribute) and call.attr in {"command", "callback"} for call in calls)


def names_say_something(module: Module) -> Iterator[str]:
    """No module is called after what it is not."""
    for part in module.path.removesuffix(".py").split("/"):
        if part in EMPTY_NAMES:
            yield f"{module.path}: '{part}' names no concept"


def package_files_only_hand_on(module: Module) -> Iterator[str]:
    """`__init__.py` holds a caption, imports, `__all__` and `__version__`."""
    if not module.path.endswith("__init__.py"):
        return
    for node in module.tree.body[1:]:
        names = (
            {dotted_name(target) for target in node.targets} if isinstance(node, ast.Assign) else set[str]()
        )
        if not isinstance(node, ast.Import | ast.ImportFrom) and (
            not names or names - {"__all__", "__version__"}
        ):
            yield f"{module.path}:{node.lineno} holds code"


def has_caption(module: Module) -> Iterator[str]:
    """Every module opens with a sentence that says what it is for."""
    if not (ast.get_docstring(module.tree) or "").strip():
        yield f"{module.path} has no caption"


def environment_at_the_edge(module: Module) -> Iterator[str]:
    """Only the edge reads the environment; everything else takes arguments."""
    if not module.is_under(*READS_ENVIRONMENT):
        yield from (
            f"{module.path}:{line} uses {name}"
            for name, line in used_names(module)
            if is_one_of(name, ENVIRONMENT)
        )


def clock_at_the_edge(module: Module) -> Iterator[str]:
    """Only the command line and the runner ask what time it is; `now` is an argument elsewhere."""
    if not module.is_under(*READS_CLOCK):
        yield from (
            f"{module.path}:{line} uses {name}" for name, line in used_names(module) if is_one_of(name, CLOCK)
        )


def chance_in_the_statistics(module: Module) -> Iterator[str]:
    """Random numbers come from one seeded place."""
    if not module.is_under(*DRAWS_NUMBERS):
        for name, line in used_names(module):
            if name.split(".")[0] == "random" or name.startswith(("numpy.random", "np.random")):
                yield f"{module.path}:{line} uses {name}"


def processes_through_one_door(module: Module) -> Iterator[str]:
    """`os` can start processes too, behind the back of the import contract."""
    if module.is_under(*STARTS_PROCESSES):
        return
    for name, line in used_names(module):
        owner, _, member = name.rpartition(".")
        if owner == "os" and (member in PROCESSES or member.startswith(("exec", "spawn"))):
            yield f"{module.path}:{line} uses {name}"
        if "create_subprocess" in member:
            yield f"{module.path}:{line} uses {name}"


def pure_code_touches_no_file(module: Module) -> Iterator[str]:
    """Where there is no input or output, a path is a name (PurePath), and nothing is opened."""
    if not module.is_under(*PURE):
        return
    for name, line in imported_names(module.tree):
        if name == "pathlib" or (name.startswith("pathlib.") and not name.startswith("pathlib.Pure")):
            yield f"{module.path}:{line} imports {name}"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and dotted_name(node.func) in {"open", "input"}:
            yield f"{module.path}:{node.lineno} opens a file or asks a person"


def nothing_is_printed(module: Module) -> Iterator[str]:
    """Words for people go through the console of `cli`, which escapes them."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and dotted_name(node.func) == "print":
            yield f"{module.path}:{node.lineno} prints"


def heavy_imports_wait(module: Module) -> Iterator[str]:
    """What takes long to import is imported where it is used, so that every other command starts fast."""
    for node in module.tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name, line in imported_names(node):
                package = name.split(".")[0]
                if package in HEAVY or (package == "numpy" and not module.is_under("core")):
                    yield f"{module.path}:{line} imports {package} at its top"


def borders_are_typed(module: Module) -> Iterator[str]:
    """No `Any` in what a module offers: parameters and results of public functions, fields of public classes."""
    for node in module.tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for member in node.body:
                if isinstance(member, ast.AnnAssign) and mentions_any(member.annotation):
                    yield f"{module.path}:{member.lineno} a field of {node.name} is Any"
    for function in functions(module):
        if function.name.startswith("_"):
            continue
        arguments = function.args
        named = [
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            arguments.vararg,
            arguments.kwarg,
        ]
        annotations = [argument.annotation for argument in named if argument is not None] + [function.returns]
        if any(mentions_any(annotation) for annotation in annotations if annotation is not None):
            yield f"{module.path}:{function.lineno} {function.name} has Any in its signature"


def mentions_any(annotation: ast.expr) -> bool:
    """Whether a type is or holds `Any`."""
    return any(dotted_name(node) in {"Any", "typing.Any"} for node in ast.walk(annotation))


RULES: tuple[Rule, ...] = (
    borders_are_typed,
    chance_in_the_statistics,
    clock_at_the_edge,
    environment_at_the_edge,
    few_parameters,
    file_is_short,
    functions_are_short,
    has_caption,
    heavy_imports_wait,
    names_say_something,
    nothing_is_printed,
    package_files_only_hand_on,
    processes_through_one_door,
    pure_code_touches_no_file,
)
