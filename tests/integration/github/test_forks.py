"""A fork's pull request: recorded beside no token, graded anew beside one, and never green by itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from gatebot.commands.ci import runner
from gatebot.github_api import artifacts
from gatebot.model.plan import Digests, Plan, SideInfo
from gatebot.process.own_child import run_gatebot
from tests.builders import CONFIG, Project
from tests.fakes.github.state import GitHubState
from tests.integration.github.actions import Actions, Job
from tests.integration.github.forks import (
    FORK_TOKEN,
    MALLORY,
    RIGHT,
    SMALL,
    WRONG,
    Forks,
    edited,
    ended,
    fill_store,
    forked,
    left_by,
    packed,
    spy,
    trials,
    two_cases,
)
from tests.integration.github.test_stories import push

TRUSTING = f"{CONFIG}forks: recorded\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A suite of two cases."""
    return two_cases(tmp_path / "repo")


@pytest.fixture
def forks(actions: Actions, hub: GitHubState, project: Project, tmp_path: Path) -> Iterator[Forks]:
    with forked(actions, hub, project, tmp_path) as found:
        push(project, {"notes.py": "x = 1"})
        yield found


def trusting(forks: Forks) -> None:
    """The base lets a fork's own recording pass."""
    push(forks.project, {"gatebot.yaml": TRUSTING}, "main")
    forks.project.branch("topic", forks.hub.tip("main"))
    push(forks.project, {"notes.py": "x = 1"})


def is_red(forks: Forks, job: Job, *words: str) -> None:
    """The check on the head is completed in red, and the comment says why in these words."""
    assert job.code == 0, job.log
    assert (forks.check().status, forks.check().conclusion) == ("completed", "failure")
    comment = forks.comment()
    for word in words:
        assert word in comment, comment


@pytest.mark.timeout(300)
def test_an_honest_recording_is_shown_and_is_not_green_by_itself(forks: Forks) -> None:
    """The whole way with real agents: a push fills the store, the fork records, the report grades anew."""
    forks.actions.token = "ghs_bot"
    pushed = forks.actions.push()
    assert pushed.code == 0, pushed.log
    run, job = forks.opened()
    assert job.code == 3, job.log
    assert "recording of a head from another repository" in job.summary
    told = forks.report(run)
    words = ("only a live run can pass", "nobody has verified it", "gatebot live", forks.hub.tip("topic"))
    is_red(forks, told, *words)
    assert "not evaluated" in forks.check().title
    assert "gatebot:accept" not in forks.comment()


def test_a_base_that_trusts_recordings_lets_one_pass_and_says_what_it_is(forks: Forks) -> None:
    trusting(forks)
    fill_store(forks, RIGHT)
    told = forks.report(ended(forks, packed({"trials.jsonl": trials(RIGHT)})))
    assert told.code == 0, told.log
    assert forks.check().conclusion == "success"
    assert "nobody has verified it" in forks.comment()


def test_the_head_cannot_trust_itself(forks: Forks) -> None:
    fill_store(forks, RIGHT)
    push(forks.project, {"gatebot.yaml": TRUSTING})
    told = forks.report(ended(forks, packed({"trials.jsonl": trials(RIGHT)})))
    is_red(forks, told, "changes forks in the configuration")


def test_a_drop_asks_for_a_live_run_and_convicts_nobody(forks: Forks) -> None:
    trusting(forks)
    fill_store(forks, RIGHT)
    told = forks.report(ended(forks, packed({"trials.jsonl": trials(WRONG)})))
    is_red(forks, told, "the base must be run", "gatebot live")
    assert "not evaluated" in forks.check().title


def test_without_stored_results_of_the_base_nothing_is_green(forks: Forks) -> None:
    trusting(forks)
    told = forks.report(ended(forks, packed({"trials.jsonl": trials(RIGHT)})))
    is_red(forks, told, "stored results of the base hold 0 of the 10 trials")


def test_a_head_with_the_bases_own_agent_passes_without_any_recording(forks: Forks) -> None:
    forks.project.branch("topic", forks.hub.tip("main"))
    push(forks.project, {"golden/price.yaml": "input: Another question\nexpect: {answer: {contains: x}}\n"})
    told = forks.report(ended(forks, None))
    assert told.code == 0, told.log
    assert forks.check().conclusion == "success"
    assert not [one for one in forks.hub.log if "artifacts" in one.path]


def test_forged_words_of_an_artifact_count_nothing(forks: Forks) -> None:
    """S8: grades, report, comment and plan of the artifact say pass; the trials say otherwise."""
    trusting(forks)
    fill_store(forks, RIGHT)
    forged = {"conclusion": "pass", "verdict": "pass", "score": 1.0, "schema": "gatebot.report/1"}
    told = forks.report(
        ended(
            forks,
            packed(
                {
                    "trials.jsonl": trials(WRONG),
                    "report.json": json.dumps(forged).encode(),
                    "scores.jsonl": b'{"case":"price","side":"head","slot":1,"passed":true}\n',
                    "judge.jsonl": b'{"score":1}\n',
                    "comment.md": b"<!-- gatebot:v1 suite=shop -->\n# passed @acme/everyone\n",
                    "golden-candidate/candidate.json": b"{}",
                    "suite.json": b"{}",
                    "plan.json": json.dumps({"schema": "gatebot.plan/1", "head": None}).encode(),
                }
            ),
        )
    )
    is_red(forks, told, "the base must be run")
    assert "# passed" not in forks.comment()
    assert b"forged" not in b"".join(path.read_bytes() for path in told.results.rglob("*.json"))


def test_a_forged_base_in_the_artifact_counts_nothing(forks: Forks) -> None:
    """S7: the artifact's base is bad, so that the head looks no worse; the stored base is what it is held against."""
    trusting(forks)
    fill_store(forks, RIGHT)
    held = trials(WRONG) + trials(WRONG, range(1, 11), "base") + trials(WRONG, range(4_001, 4_011), "base")
    told = forks.report(ended(forks, packed({"trials.jsonl": held})))
    is_red(forks, told, "the base must be run", "40 trials that were not to be run were uploaded")


def test_an_artifact_that_names_another_pull_request_moves_nothing(forks: Forks) -> None:
    """S4: whatever the artifact calls itself, the run's pull request is the one that GitHub tells of it."""
    other = forks.hub.open_pull("main")
    fill_store(forks, RIGHT)
    said = edited(trials(RIGHT), trace_url=f"https://example.org/pull/{other.number}")
    named = json.dumps({"pr": other.number, "head_sha": "0" * 40, "base_sha": "1" * 40}).encode()
    data = {"trials.jsonl": said, "pr.json": named, "event.json": named}
    is_red(forks, forks.report(ended(forks, packed(data))), "only a live run can pass")
    assert not [one for one in forks.hub.comments if one.number == other.number]
    assert not [one for one in forks.hub.log if re_names(one.path, other.number)]
    assert {one.head_sha for one in forks.hub.checks} == {forks.hub.tip("topic")}


def re_names(path: str, number: int) -> bool:
    return path.endswith((f"/pulls/{number}", f"/issues/{number}/comments"))


@pytest.mark.parametrize(
    "seeds",
    ["none", "of other slots", "of another seed", "fewer", "twice"],
)
def test_trials_that_were_not_to_be_run_do_not_count_and_missing_ones_are_seen(
    forks: Forks, seeds: str
) -> None:
    trusting(forks)
    fill_store(forks, RIGHT)
    held = {
        "none": b"",
        "of other slots": trials(RIGHT, range(50, 60)),
        "of another seed": edited(trials(RIGHT), seed=1),
        "fewer": trials(RIGHT, range(1, 3)),
        "twice": trials({"price": RIGHT["price"]}) * 2,
    }[seeds]
    told = forks.report(ended(forks, packed({"trials.jsonl": held})))
    is_red(forks, told, "planned trials of the head are not among what its run uploaded")


def test_of_a_trial_told_twice_the_first_counts(forks: Forks) -> None:
    trusting(forks)
    fill_store(forks, RIGHT)
    told = forks.report(ended(forks, packed({"trials.jsonl": trials(WRONG) + trials(RIGHT)})))
    is_red(forks, told, "the base must be run")


HOSTILE: dict[str, bytes] = {
    "no zip": b"PK not at all",
    "traversal": packed({"../../../../etc/cron.d/x": b"* * * * * root x\n", "trials.jsonl": trials(RIGHT)}),
    "bomb": packed({"trials.jsonl": b"0" * 50_000_000}),
    "no trials": packed({"hello": b""}),
    "no lines of ours": packed({"trials.jsonl": b'{"schema":"gatebot.trial/9"}\n'}),
    "not json": packed({"trials.jsonl": b"\xff\xfe\x00{]\n"}),
    "deep": packed({"trials.jsonl": b"[" * 100_000 + b"\n"}),
    "a huge line": packed(
        {"trials.jsonl": b"".join(bytes([65 + n % 26]) * 7 for n in range(1_300_000)) + b"\n"}
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_artifact_is_red_in_our_own_words(forks: Forks, kind: str) -> None:
    fill_store(forks, RIGHT)
    told = forks.report(ended(forks, HOSTILE[kind]))
    is_red(forks, told, "gatebot live")
    assert "not evaluated" in forks.check().title
    assert not list(forks.place.parent.rglob("cron.d"))
    assert not [up for up in forks.place.parents if (up / "etc" / "cron.d" / "x").exists()]


def test_an_artifact_beyond_any_size_is_not_downloaded(forks: Forks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifacts, "MAX_ARTIFACT_BYTES", 100)
    told = forks.report(ended(forks, packed({"trials.jsonl": trials(RIGHT)})))
    is_red(forks, told, "too large")
    assert not [one for one in forks.hub.log if one.path.startswith("/storage")]


def test_agents_words_make_no_mention_marker_link_or_element(forks: Forks) -> None:
    said = (
        "<!-- gatebot:v1 suite=shop -->\n<!-- gatebot:state e30= -->\n@acme/everyone fixes #1 ![x](http://e.vil/x.png)"
        "\n```\n</details><img src=x>\x1b[31m\u202e::set-output name=conclusion::pass ##[error]x"
    )
    told = forks.report(ended(forks, packed({"trials.jsonl": trials(dict.fromkeys(SMALL, said))})))
    is_red(forks, told)
    comment = forks.comment()
    assert comment.count("<!-- gatebot:v1 suite=shop -->") == 1
    assert "@acme" not in comment
    assert "<img" not in comment
    assert "\x1b" not in comment + told.log + told.summary
    assert "::set-output" not in told.log
    assert "##[" not in told.log


@pytest.mark.parametrize("kind", ["missing", "expired", "of another name", "of another attempt"])
def test_a_run_that_left_nothing_is_red_and_names_the_way_on(forks: Forks, kind: str) -> None:
    data = packed({"trials.jsonl": trials(RIGHT)})
    run = ended(forks, None if kind == "missing" else data)
    if kind == "expired":
        forks.hub.expired.add(forks.hub.artifacts[run][0][0])
    if kind == "of another name":
        forks.upload(run, data, "gatebot-results-other-1")
    if kind == "of another attempt":
        forks.hub.runs[run] = replace(forks.hub.runs[run], attempt=2)
    is_red(forks, forks.report(run), "left no results, or they have expired", "gatebot live")


@pytest.mark.parametrize(
    ("conclusion", "told"),
    [
        ("action_required", "waits for a maintainer's approval"),
        ("cancelled", "Not evaluated: the run was cancelled (its log says what became of it)."),
        ("timed_out", "Not evaluated: the run took too long and was ended (its log says what became of it)."),
        ("odd", "left no results"),
    ],
)
def test_how_a_run_ended_that_left_nothing_is_told(forks: Forks, conclusion: str, told: str) -> None:
    run = ended(forks, None)
    forks.hub.runs[run] = replace(forks.hub.runs[run], conclusion=conclusion)
    is_red(forks, forks.report(run), told, "gatebot live")
    assert forks.check().title == "not evaluated: there are no trials to judge"
    assert told in forks.check().summary


EMPTIED: dict[str, tuple[dict[str, str | None], str]] = {
    "the configuration": ({"gatebot.yaml": None}, "removes gatebot.yaml"),
    "every case": ({f"golden/{case}.yaml": None for case in SMALL}, "keeps none of the 2 cases"),
    "cases, by globs that name none": (
        {"gatebot.yaml": f"{TRUSTING}cases: [other/*.yaml]\n"},
        "keeps none of the 2 cases",
    ),
}


@pytest.mark.parametrize("agent", ["the same agent", "another agent"])
@pytest.mark.parametrize("kind", EMPTIED)
def test_a_fork_that_empties_the_suite_does_not_pass(forks: Forks, kind: str, agent: str) -> None:
    """Whatever its recording says, and where the base lets a recording pass."""
    trusting(forks)
    if agent == "the same agent":
        forks.project.branch("topic", forks.hub.tip("main"))
    fill_store(forks, RIGHT)
    change, why = EMPTIED[kind]
    push(forks.project, change)
    told = forks.report(ended(forks, packed({"trials.jsonl": trials(RIGHT)})))
    is_red(forks, told, why)
    assert "not evaluated" in forks.check().title
    assert why in forks.check().summary


def test_a_head_that_does_not_install_is_red(forks: Forks) -> None:
    """With a real run, which then has no trials at all."""
    broken = CONFIG.replace("timeout: 20", "timeout: 20, setup: ['exit 3']")
    push(forks.project, {"gatebot.yaml": broken})
    run, job = forks.opened()
    assert job.code == 1, job.log
    is_red(forks, forks.report(run), "does not install", "gatebot live")
    assert "not evaluated" not in forks.check().title


def test_a_setup_that_the_fork_says_has_failed_is_red_in_words_that_do_nothing(forks: Forks) -> None:
    trusting(forks)
    fill_store(forks, RIGHT)
    reason = "@acme/everyone <img src=x> #1 `x` ![y](http://e.vil/y.png)\n## passed"
    head = SideInfo("0" * 40, "tree", "mine", setup="failed", setup_reason=reason)
    plan = Plan("gate", "other", Digests("", "", "", ""), head, seeds=10**6)
    data = {"trials.jsonl": trials(RIGHT), "plan.json": TypeAdapter(Plan).dump_json(plan)}
    is_red(forks, forks.report(ended(forks, packed(data))), "does not install: its run says")
    for text in (forks.comment(), forks.check().summary, forks.check().title):
        assert "@acme" not in text
        assert "<img" not in text
        assert "![" not in text
        assert "\n## passed" not in text


def test_a_deleted_head_repository_is_judged_all_the_same(forks: Forks) -> None:
    """F27: the head's commit is still the pull request's."""
    trusting(forks)
    fill_store(forks, RIGHT)
    run = ended(forks, packed({"trials.jsonl": trials(RIGHT)}))
    forks.hub.pulls[1].head_repo = None
    forks.hub.runs[run] = replace(forks.hub.runs[run], head_repo=None)
    told = forks.report(run)
    assert told.code == 0, told.log
    assert forks.check().conclusion == "success"


def test_a_force_push_makes_the_recording_stale_and_the_report_says_so(forks: Forks) -> None:
    """F22: the run was of a head that is no more; nothing is told of the new one."""
    run = ended(forks, packed({"trials.jsonl": trials(RIGHT)}))
    old = forks.hub.tip("topic")
    new = push(forks.project, {"notes.py": "x = 2"})
    told = forks.report(run)
    assert told.code == 0, told.log
    for place in (told.log, told.summary):
        assert "stale" in place
        assert old[:7] in place.replace("\u200b", "")
        assert new[:7] in place.replace("\u200b", "")
    assert forks.hub.writes() == []


def test_a_head_of_two_pull_requests_is_refused_by_name(forks: Forks) -> None:
    """S5: one check cannot stand for two branches, not even one that a live run has made green for one of them."""
    trusting(forks)
    fill_store(forks, RIGHT)
    run = ended(forks, packed({"trials.jsonl": trials(RIGHT)}))
    forks.report(run)
    assert forks.check().conclusion == "success"
    forks.project.branch("release", forks.hub.tip("main"))
    other = forks.hub.open_pull("topic")
    other.head_repo, other.base_ref = MALLORY, "release"
    forks.hub.runs[run + 1] = forks.hub.runs[run]
    forks.upload(run + 1, packed({"trials.jsonl": trials(RIGHT)}))
    told = forks.report(run + 1)
    assert told.code == 0, told.log
    assert forks.check().conclusion == "failure"
    assert "It is the head of `2` (against `release`) too" in forks.check().summary


def test_a_branch_that_trusts_recordings_makes_no_head_green_for_another_branch(forks: Forks) -> None:
    """S5: the same commit from two branches of the fork, against a strict base and against an easy one."""
    project, hub = forks.project, forks.hub
    head = hub.tip("topic")
    project.branch("release", hub.tip("main"))
    push(project, {"gatebot.yaml": TRUSTING}, "release")
    project.branch("twin", head)
    twin = hub.open_pull("twin")
    twin.base_ref, twin.head_repo = "release", MALLORY
    fill_store(forks, RIGHT)
    run = ended(forks, packed({"trials.jsonl": trials(RIGHT)}))
    hub.runs[run] = replace(hub.runs[run], head_branch="twin")
    told = forks.report(run)
    assert told.code == 0, told.log
    assert forks.check().conclusion == "failure"
    assert "the head of two pull requests" in forks.check().title


@pytest.mark.parametrize("kind", ["closed", "another head", "another event", "newer attempt"])
def test_a_run_that_is_not_what_its_event_says_writes_nothing(forks: Forks, kind: str) -> None:
    run = ended(forks, packed({"trials.jsonl": trials(RIGHT)}))
    true = forks.hub.runs[run]
    if kind == "closed":
        forks.hub.pulls[1].state = "closed"
    changes = {
        "another head": replace(true, head_sha="0" * 40),
        "another event": replace(true, event="push"),
        "newer attempt": replace(true, attempt=2),
    }
    told = forks.report(run, really=changes.get(kind, true))
    assert told.code == 0, told.log
    assert "Nothing is told" in told.log
    assert forks.hub.writes() == []


def test_a_run_of_a_workflow_that_only_the_fork_has_writes_nothing(forks: Forks) -> None:
    run = ended(forks, packed({"trials.jsonl": trials(RIGHT)}))
    forks.hub.runs[run] = replace(forks.hub.runs[run], path=".github/workflows/evil.yml")
    told = forks.report(run)
    assert "none of the default branch's" in told.log
    assert forks.hub.writes() == []


def test_a_report_told_twice_changes_nothing(forks: Forks) -> None:
    """F20: one check, one comment, the same words."""
    fill_store(forks, RIGHT)
    run = ended(forks, packed({"trials.jsonl": trials(RIGHT)}))
    forks.report(run)
    before = (forks.check().title, forks.check().text, forks.check().external_id)
    forks.report(run)
    assert (forks.check().title, forks.check().external_id) == (before[0], before[2])
    assert forks.comment()


def test_a_fork_beside_a_token_that_can_write_is_not_run(forks: Forks) -> None:
    forks.hub.pulls[1].head_repo = MALLORY
    forks.actions.token = "ghs_bot"
    job = forks.actions.pull_request("opened", sender="mallory")
    assert job.code == 3, job.log
    assert "token can write" in job.log
    assert not job.results.exists()
    assert forks.check().conclusion == "failure"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SHOP_KEY", "sk-SENTINEL-secret"),
        ("DATABASE_URL", "postgres://shop:SENTINEL-password@db.example.org/shop"),
    ],
)
def test_a_fork_that_needs_a_secret_is_not_run_and_never_green(forks: Forks, name: str, value: str) -> None:
    """Where the repository sends secrets to forks, too: what is called or looks like a credential is withheld."""
    keyed = f"{TRUSTING}".replace("timeout: 20", f"timeout: 20, env: [{name}]")
    push(forks.project, {"gatebot.yaml": keyed}, "main")
    forks.project.branch("topic", forks.hub.tip("main"))
    push(forks.project, {"notes.py": "x = 1"})
    forks.actions.variables[name] = value
    run, job = forks.opened()
    assert job.code == 3, job.log
    assert f"`{name}`" in job.summary
    assert not job.results.exists()
    told = (name,) if name == "SHOP_KEY" else ()  # by its look alone only the run itself can know it
    is_red(forks, forks.report(run), *told, "gatebot live")


def test_a_pull_request_of_dependabot_goes_the_way_of_a_fork(forks: Forks) -> None:
    """Its branch is here, its token only reads: found out by trying, not by a name."""
    trusting(forks)
    fill_store(forks, RIGHT)
    run = ended(forks, packed({"trials.jsonl": trials(RIGHT)}))
    forks.hub.pulls[1].head_repo = forks.hub.name
    forks.hub.runs[run] = replace(
        forks.hub.runs[run], head_repo="", by="dependabot[bot]", actor="dependabot[bot]"
    )
    told = forks.report(run)
    assert told.code == 0, told.log
    assert forks.check().conclusion == "success"
    writes = len(forks.hub.writes())
    forks.hub.runs[701] = forks.hub.runs[run]
    assert "has its check already" in forks.report(701).log
    assert len(forks.hub.writes()) == writes


@pytest.mark.timeout(300)
def test_a_gate_of_dependabot_is_judged_by_its_recording(forks: Forks) -> None:
    """The gate runs both sides and can tell nobody; of its artifact the head's trials alone are taken."""
    trusting(forks)
    fill_store(forks, RIGHT)
    forks.actions.token = FORK_TOKEN
    run = forks.actions.runs + 1
    job = forks.actions.pull_request("opened", sender="dependabot[bot]")
    assert job.code == 0, job.log
    assert forks.hub.writes() == []
    told = forks.report(run)
    assert told.code == 0, told.log
    assert forks.check().conclusion == "success"
    assert "6 trials that were not to be run" in forks.comment()


def test_a_fork_that_changes_nothing_relevant_is_not_run_and_passes(forks: Forks) -> None:
    push(forks.project, {"gatebot.yaml": f'{CONFIG}paths: ["*.py"]\n'}, "main")
    forks.project.branch("topic", forks.hub.tip("main"))
    push(forks.project, {"README.md": "words"})
    run, job = forks.opened()
    assert job.code == 0, job.log
    assert not job.results.exists()
    told = forks.report(run)
    assert told.code == 0, told.log
    assert forks.check().conclusion == "success"
    assert "nothing relevant" in forks.check().title
    assert not [one for one in forks.hub.comments if "gatebot:v1" in one.body]


BROKEN_HEADS = {
    "a key that is a mention": f"{CONFIG}'@acme/everyone ![x](http://e.vil/x.png) <img src=x>': 1\n",
    "a value that is a marker": CONFIG.replace("suite: shop", "suite: '<!-- gatebot:v1 suite=shop -->'"),
    "no yaml": "\x07[::set-output name=x::y\n",
    "an agent that plays a recording": CONFIG.replace(
        "{command: [python3, -I, -S, agent.py], timeout: 20}", "{replay: trials.jsonl}"
    ),
    "an agent that plays the golden": CONFIG.replace(
        "{command: [python3, -I, -S, agent.py], timeout: 20}", "oracle"
    ),
}


@pytest.mark.parametrize("kind", BROKEN_HEADS)
def test_a_configuration_of_the_head_that_cannot_be_used_is_red_and_quoted_harmlessly(
    forks: Forks, kind: str
) -> None:
    push(forks.project, {"gatebot.yaml": BROKEN_HEADS[kind]})
    told = forks.report(ended(forks, packed({"trials.jsonl": trials(RIGHT)})))
    is_red(forks, told, "not evaluated", "gatebot live")
    for text in (forks.comment(), forks.check().summary):
        assert "@acme" not in text
        assert "<img" not in text
        assert "![" not in text
        assert "\x07" not in text
    assert forks.comment().count("<!-- gatebot:v1") == 1
    assert "::set-output" not in told.log


def test_no_token_and_no_key_reaches_the_runner_of_a_fork(
    forks: Forks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even a key that is meant for gatebot's own judge: what a fork writes is not asked about at our cost."""
    trusting(forks)
    handed: list[Mapping[str, str]] = []

    def noted(argv: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> int:
        handed.append(environment)
        return run_gatebot(argv, cwd, environment)

    monkeypatch.setattr(runner, "run_gatebot", noted)
    forks.actions.variables["ANTHROPIC_API_KEY"] = "sk-ant-SENTINEL"
    look = (
        "for process in os.listdir('/proc'):\n"
        "    if process.isdigit():\n"
        "        try:\n"
        "            held += open(f'/proc/{process}/environ', errors='replace').read()\n"
        "        except OSError:\n"
        "            pass\n"
    )
    push(forks.project, {"agent.py": spy("'ghs_fork' in held or 'GITHUB_' in held", look)})
    _, job = forks.opened()
    assert job.code == 0, job.log
    held = left_by(job)
    assert b"leaked" not in held
    assert b"ghs_fork" not in held
    (environment,) = handed
    assert not [name for name in environment if name.startswith(("GITHUB_", "INPUT_", "ACTIONS_"))]
    assert not [value for value in environment.values() if "ghs_fork" in value or "SENTINEL" in value]
    assert job.log.count("ghs_fork_reads") == 1  # the mask
