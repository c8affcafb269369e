"""Schemas and reference pages are those of the models, and the examples in them load."""

import json
from pathlib import Path

import pytest
from pydantic import BaseModel, TypeAdapter

from gatebot.model.case import CaseFile
from gatebot.model.config import Config
from gatebot.model.report import Report
from gatebot.model.trial import MEASURED_FIELDS
from gatebot.suite.lint import lint_suite
from gatebot.suite.load import load_cases, load_config
from gatebot.suite.schemas import MEASURED, schema_files, schemas, write_schemas
from tests.unit.suite.suite_files import CASE, CONFIG, FilesInMemory
from tools import schemas as tool
from tools.reference_examples import CASE_EXAMPLES, CONFIG_EXAMPLES, REPORT_EXAMPLE


def test_committed_files_are_up_to_date() -> None:
    assert tool.stale() == [], "run `python -m tools.schemas`"


def test_the_check_sees_a_stale_a_missing_and_a_stray_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path, text in tool.made_files().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(text)
    assert tool.stale(tmp_path) == []
    (tmp_path / "schema/case.v1.json").write_bytes(b"{}")
    (tmp_path / "docs/reference/config.md").unlink()
    (tmp_path / "schema/old.json").write_bytes(b"{}")
    assert tool.stale(tmp_path) == ["docs/reference/config.md", "schema/case.v1.json", "schema/old.json"]
    assert tool.main(["--check"]) == 0
    assert tool.main(["--wrong"]) == 2
    assert "usage" in capsys.readouterr().out


def test_schemas_are_written_into_a_folder(tmp_path: Path) -> None:
    written = write_schemas(tmp_path / "new")
    assert [path.name for path in written] == sorted(schema_files())
    assert all(path.read_bytes() == schema_files()[path.name] for path in written)


def test_schemas_are_the_same_every_time() -> None:
    assert schema_files() == schema_files()
    assert list(schemas()) == [
        "config.v1.json",
        "case.v1.json",
        "plan.v1.json",
        "report.v1.json",
        "trial.v1.json",
    ]


def models(root: type[BaseModel], name: str) -> list[tuple[str, dict[str, object]]]:
    schema = schemas()[name]
    definitions = schema.get("$defs", {})
    assert isinstance(definitions, dict)
    return [(root.__name__, schema), *definitions.items()]  # pyright: ignore[reportReturnType]


@pytest.mark.parametrize(("root", "name"), [(Config, "config.v1.json"), (CaseFile, "case.v1.json")])
def test_every_key_people_write_has_a_meaning_and_typos_are_refused(root: type[BaseModel], name: str) -> None:
    for model, schema in models(root, name):
        properties = schema.get("properties")
        if isinstance(properties, dict):
            assert schema["additionalProperties"] is False, model
            for key, field in properties.items():  # pyright: ignore[reportUnknownVariableType]
                assert "description" in field or "$ref" in field, f"{model}.{key}"


def test_what_is_measured_is_marked() -> None:
    text = schema_files()["trial.v1.json"].decode()
    trial = json.loads(text)
    assert trial["x-measured-fields"] == list(MEASURED_FIELDS)
    for name in MEASURED_FIELDS:
        owner, _, rest = name.partition(".")
        field = trial["$defs"]["Usage"]["properties"][rest] if rest else trial["properties"][owner]
        assert field[MEASURED] is True, name
    assert MEASURED not in trial["properties"]["answer"]
    report = json.loads(schema_files()["report.v1.json"])
    assert report["properties"]["metrics"][MEASURED] == ["latency_s", "cost_usd"]
    assert report["properties"]["cost"][MEASURED] is True


def test_short_forms_are_in_the_schemas() -> None:
    config, case = schemas()["config.v1.json"], schemas()["case.v1.json"]
    assert '"oracle"' in json.dumps(config["properties"])
    assert '{"const": true}' in json.dumps(case["$defs"])


@pytest.mark.parametrize("caption", CONFIG_EXAMPLES)
def test_examples_of_the_configuration_load(caption: str) -> None:
    load_config(FilesInMemory({"gatebot.yaml": CONFIG_EXAMPLES[caption]}))


@pytest.mark.parametrize("caption", CASE_EXAMPLES)
def test_examples_of_cases_load_and_lint_says_nothing(caption: str) -> None:
    source = FilesInMemory(
        {"gatebot.yaml": CONFIG, "golden/a.yaml": CASE_EXAMPLES[caption], "golden/b.yaml": CASE}
    )
    config = load_config(source)
    assert lint_suite(config, load_cases(source, config)) == ()


def test_the_example_of_a_report_has_only_keys_of_the_report() -> None:
    example = json.loads(REPORT_EXAMPLE["shortened"])
    known: dict[str, object] = {
        "mode": "detect",
        "suite": "s",
        "advice": "",
        "pass_at_k": example["pass_hat_k"],
        "failures": [],
    }
    evidence = {"method": "m", "alpha": 0.05, "mean_level": 0.04, "case_level": 0.01}
    TypeAdapter(Report).validate_json(
        json.dumps({**known, "worst_cases": [], "evidence": evidence, **example})
    )
    report = schemas()["report.v1.json"]
    assert isinstance(report["properties"], dict)
    assert set(example) <= set(report["properties"])
