"""Loading: which files are cases, what they are called, and their one normal form."""

import os
from datetime import date
from pathlib import Path

import pytest

from gatebot.errors import ConfigError
from gatebot.suite.load import case_paths, load_case, load_cases, load_config, load_suite, load_suite_from
from gatebot.suite.source import DirectorySource, matching
from tests.unit.suite.suite_files import CASE, CONFIG, FilesInMemory, case_of, suite_of


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def with_cases(*names: str, config: str = CONFIG) -> FilesInMemory:
    return FilesInMemory({"gatebot.yaml": config, **dict.fromkeys(names, CASE)})


def ids(source: FilesInMemory, path: str = "gatebot.yaml") -> list[str]:
    return [item.case.id for item in load_cases(source, load_config(source, path))]


def test_a_suite_in_a_directory(tmp_path: Path) -> None:
    write(
        tmp_path, {"gatebot.yaml": CONFIG, "golden/b.yaml": CASE, "golden/a.yaml": CASE, "golden/c.txt": "no"}
    )
    suite = load_suite(tmp_path)
    assert [(case.id, case.path) for case in suite.cases] == [("a", "golden/a.yaml"), ("b", "golden/b.yaml")]
    assert suite.config.suite == "demo"


def test_policy_and_cases_from_two_sources() -> None:
    policy = with_cases(
        "golden/old.yaml", config=CONFIG + "quarantine: [{case: old, reason: moved, until: 2030-01-02}]\n"
    )
    suite = load_suite_from(policy, with_cases("golden/new.yaml", config="garbage"))
    assert [case.id for case in suite.cases] == ["new"]
    assert suite.config.quarantine[0].until == date(2030, 1, 2)


def test_globs_are_relative_to_the_configuration() -> None:
    source = FilesInMemory({"a/gatebot.yaml": CONFIG, "a/golden/x.yaml": CASE, "golden/y.yaml": CASE})
    (item,) = load_cases(source, load_config(source, "a/gatebot.yaml"))
    assert (item.case.id, item.case.path, item.document.path) == ("x", "golden/x.yaml", "a/golden/x.yaml")


def test_ids_come_from_the_stem_or_the_file() -> None:
    source = FilesInMemory(
        {
            "gatebot.yaml": CONFIG,
            "golden/no.yaml": CASE,
            "golden/2024-05-01.yaml": CASE,
            "golden/refund.v2.yaml": CASE,
            "golden/x.yaml": "id: on\n" + CASE,
        }
    )
    assert ids(source) == ["2024-05-01", "no", "on", "refund.v2"]


@pytest.mark.parametrize(
    "name", ["two words", "-x", ".hidden", "a" * 101, "caf\u00e9", "a\u202eb", "x%2fy", "a+b"]
)
def test_a_file_name_that_makes_no_id_is_an_error(name: str) -> None:
    config = CONFIG + "cases: ['golden/*.yaml', 'golden/.*.yaml']\n"
    with pytest.raises(ConfigError) as caught:
        ids(with_cases(f"golden/{name}.yaml", config=config))
    assert caught.value.location is not None
    assert caught.value.hint


@pytest.mark.parametrize("written", ["../x", "a/b", "CON ", "x\\n", "a\u0301", "\\u0000", "a\\u202eb", "-rf"])
def test_a_written_id_cannot_leave_its_place(written: str) -> None:
    with pytest.raises(ConfigError):
        case_of(f'id: "{written}"\n{CASE}')


def test_ids_that_differ_in_capitals_alone_are_taken() -> None:
    with pytest.raises(ConfigError) as caught:
        ids(with_cases("golden/Refund.yaml", "golden/refund.yaml"))
    assert str(caught.value) == (
        "golden/refund.yaml:1:1: the case id 'refund' is taken: golden/Refund.yaml has 'Refund'"
    )


def test_two_globs_that_find_the_same_file_count_it_once() -> None:
    config = CONFIG + "cases: ['golden/*.yaml', 'golden/**/*.yaml']\n"
    assert ids(with_cases("golden/a.yaml", "golden/deep/b.yaml", config=config)) == ["a", "b"]


def test_the_configuration_is_no_case() -> None:
    assert ids(with_cases("other.yaml", config=CONFIG + "cases: ['*.yaml']\n")) == ["other"]


@pytest.mark.parametrize("glob", ["../*.yaml", "/etc/*.yaml", "a/../../b.yaml", "~/x.yaml", "a\\\\b.yaml"])
def test_a_glob_cannot_lead_out(glob: str) -> None:
    with pytest.raises(ConfigError, match="leads out of the suite's folder"):
        ids(with_cases("golden/a.yaml", config=CONFIG + f'cases: ["{glob}"]\n'))


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("golden/*.yaml", ["golden/a.yaml"]),
        ("golden/**/*.yaml", ["golden/a.yaml", "golden/d/b.yaml", "golden/d/e/c.yaml"]),
        ("**/*.yaml", ["golden/a.yaml", "golden/d/b.yaml", "golden/d/e/c.yaml"]),
        ("**/**/**/**/c.yaml", ["golden/d/e/c.yaml"]),
        ("**", ["golden/a.yaml", "golden/d/b.yaml", "golden/d/e/c.yaml"]),
        ("golden/?.yaml", ["golden/a.yaml"]),
        ("golden/[b-z].yaml", []),
        ("golden//./a.yaml", ["golden/a.yaml"]),
        ("golden/.*.yaml", ["golden/.h.yaml"]),
        ("golden", []),
        ("golden/*/*.yaml", ["golden/d/b.yaml"]),
    ],
)
def test_globs(pattern: str, found: list[str]) -> None:
    names = ("golden/a.yaml", "golden/d/b.yaml", "golden/d/e/c.yaml", "golden/.h.yaml", ".git/x.yaml")
    assert matching(FilesInMemory(dict.fromkeys(names, "")), "", pattern) == found


def test_a_glob_of_many_stars_takes_no_time() -> None:
    path = "/".join(["a"] * 200)
    assert matching(FilesInMemory({path: ""}), "", "/".join(["**", "a"] * 60) + "/b") == []
    assert matching(FilesInMemory({"a" * 5000: ""}), "", "*a" * 60 + "b") == []


def test_no_case_and_too_many_cases() -> None:
    with pytest.raises(ConfigError, match="the suite is empty: no case file matches golden/"):
        ids(with_cases())
    many = with_cases(*(f"golden/{n}.yaml" for n in range(10_001)))
    with pytest.raises(ConfigError, match="has 10,001 cases, more than 10,000"):
        case_paths(many, load_config(many))


def test_what_is_missing_or_empty() -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(FilesInMemory({}))
    assert str(caught.value) == "gatebot.yaml: there is no such configuration"
    with pytest.raises(ConfigError, match="the case is empty"):
        case_of("# nothing\n")
    with pytest.raises(ConfigError, match="there is no such case file"):
        load_case(FilesInMemory({}), "golden/a.yaml")
    with pytest.raises(ConfigError, match="unprintable name"):
        load_case(FilesInMemory({}), "golden/a\nb.yaml")


def test_links_that_lead_out_are_refused(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"secret.yaml": CASE}) / "secret.yaml"
    root = write(tmp_path / "suite", {"gatebot.yaml": CONFIG, "golden/a.yaml": CASE})
    (root / "golden" / "b.yaml").symlink_to(outside)
    with pytest.raises(ConfigError) as caught:
        load_suite(root)
    assert str(caught.value) == "golden/b.yaml: the file lies outside the suite"


def test_links_inside_are_read_and_linked_folders_are_not_walked(tmp_path: Path) -> None:
    root = write(tmp_path, {"gatebot.yaml": CONFIG, "golden/a.yaml": CASE, "elsewhere/c.yaml": CASE})
    (root / "golden" / "b.yaml").symlink_to(root / "elsewhere" / "c.yaml")
    (root / "golden" / "loop").symlink_to(root)
    assert [case.id for case in load_suite(root).cases] == ["a", "b"]


def test_a_pipe_is_no_case_and_does_not_hang(tmp_path: Path) -> None:
    root = write(tmp_path, {"gatebot.yaml": CONFIG, "golden/a.yaml": CASE})
    os.mkfifo(root / "golden" / "b.yaml")
    with pytest.raises(ConfigError, match="no ordinary file"):
        load_suite(root)


def test_a_huge_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    root = write(tmp_path, {"gatebot.yaml": CONFIG, "golden/a.yaml": CASE})
    with (root / "golden" / "a.yaml").open("wb") as file:
        file.truncate(10**10)
    assert len(DirectorySource(root).read("golden/a.yaml")) == 256 * 1024 + 1
    with pytest.raises(ConfigError, match="more than 256 kB"):
        load_suite(root)


def test_a_suite_in_memory_is_the_suite_in_a_directory(tmp_path: Path) -> None:
    source = suite_of()
    write(tmp_path, dict(source.files))
    assert load_suite(tmp_path) == load_suite_from(source, source)


def test_a_ring_of_links_is_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "gatebot.yaml").symlink_to("gatebot.yaml")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(DirectorySource(tmp_path))
