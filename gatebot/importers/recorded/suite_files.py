"""The files people would have written for a recorded suite: gatebot.yaml and one case a file."""

from __future__ import annotations

from gatebot.importers.recorded.recording import RecordedCase, RecordedSuite
from gatebot.model.json_value import JsonObject, JsonValue

TRIALS_NAME = "trials.jsonl"


def suite_files(suite: RecordedSuite) -> dict[str, str]:
    """Relative path → text of every file but the trials, in YAML; the same suite gives the same bytes."""
    files = {"gatebot.yaml": _yaml(_config(suite))}
    for case in suite.cases:
        files[f"golden/{case.id}.yaml"] = _yaml(_case(case))
    return files


def _config(suite: RecordedSuite) -> JsonObject:
    return {
        "version": 1,
        "suite": suite.name,
        "agent": {"replay": TRIALS_NAME},
        "seeds": {"fixed": suite.slots},
        "gate": {"metrics": {"pass_rate": {"margin": 0.1}}},
    }


def _case(case: RecordedCase) -> JsonObject:
    """The source's own verdict decides; the reference calls inform, for a good run may go another way."""
    written: dict[str, JsonValue] = {"input": case.turns[0] if len(case.turns) == 1 else list(case.turns)}
    if case.tags:
        written["tags"] = list(case.tags)
    informs: JsonObject = {} if case.calls is None else {"trajectory": {"required": False}}
    written["expect"] = {"outcome": "recorded", **informs}
    golden: dict[str, JsonValue] = {}
    if case.answer is not None:
        golden["answer"] = case.answer
    if case.calls is not None:
        golden["calls"] = [{name: arguments} for name, arguments in case.calls]
    if golden:
        written["golden"] = golden
    return written


def _yaml(value: JsonObject) -> str:
    import yaml

    class NoAliases(yaml.SafeDumper):
        """Writes equal values out each time: our reader, like most people, does not follow aliases."""

        def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - the signature is PyYAML's
            return True

    return yaml.dump(value, Dumper=NoAliases, sort_keys=False, allow_unicode=True, width=100)
