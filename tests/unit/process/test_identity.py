"""Users are handed out one to a run, never an existing one, never one twice at a time."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from gatebot.process.identity import (
    FIRST_UID,
    LAST_UID,
    Identities,
    NoIdentityError,
    lock_directory,
    users_in_use,
)


def test_users_are_unprivileged_unused_and_different_while_held(tmp_path: Path) -> None:
    taken = {FIRST_UID + 3, FIRST_UID + 4, LAST_UID}
    identities = Identities(tmp_path, taken)
    with ExitStack() as held:
        uids = [held.enter_context(identities.lease()).uid for _ in range(200)]
    assert len(set(uids)) == 200
    assert all(FIRST_UID <= uid <= LAST_UID for uid in uids)
    assert not taken & set(uids)


def test_ten_thousand_users_one_after_the_other(tmp_path: Path) -> None:
    identities = Identities(tmp_path, {FIRST_UID})
    seen: set[int] = set()
    for _ in range(10_000):
        with identities.lease() as identity:
            seen.add(identity.uid)
    assert seen == set(range(FIRST_UID + 1, LAST_UID + 1))


def test_two_gatebots_never_hold_the_same_user(tmp_path: Path) -> None:
    one, other = Identities(tmp_path, ()), Identities(tmp_path, ())
    with ExitStack() as held:
        uids = [held.enter_context(side.lease()).uid for _ in range(50) for side in (one, other)]
    assert len(set(uids)) == 100


def test_a_user_is_held_as_long_as_anything_holds_its_lock(tmp_path: Path) -> None:
    only = set(range(FIRST_UID, LAST_UID))
    identities = Identities(tmp_path, only)
    with identities.lease() as identity:
        assert identity.uid == LAST_UID
        launcher = os.dup(identity.lock)
    with pytest.raises(NoIdentityError, match="is free"), identities.lease():
        pass
    os.close(launcher)
    with identities.lease() as identity:
        assert identity.uid == LAST_UID
        assert not os.get_inheritable(identity.lock)


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    (tmp_path / str(LAST_UID)).symlink_to(victim)
    with pytest.raises(OSError, match="symbolic"), Identities(tmp_path, range(FIRST_UID, LAST_UID)).lease():
        pass
    assert not victim.exists()


def test_what_exists_is_in_use() -> None:
    assert {0, os.geteuid(), os.getegid()} <= users_in_use()


def test_locks_lie_where_root_alone_can_write(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a directory of root's")
    loose = tmp_path / "loose"
    loose.mkdir(mode=0o777)
    loose.chmod(0o777)
    foreign = tmp_path / "foreign"
    foreign.mkdir(mode=0o700)
    os.chown(foreign, 4321, 4321)
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    wanted = tmp_path / "wanted"
    assert lock_directory([loose, foreign, link, tmp_path / "no" / "parent", wanted]) == wanted
    assert wanted.stat().st_mode & 0o777 == 0o700
    with pytest.raises(NoIdentityError):
        lock_directory([loose, foreign, link])


def test_a_user_that_systemd_has_made_up_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gives services users of the same range, for as long as they run, and notes each by its number."""
    notes = tmp_path / "dynamic-uid"
    notes.mkdir()
    monkeypatch.setattr("gatebot.process.identity._DYNAMIC", notes)
    identities = Identities(tmp_path, ())
    with identities.lease() as first:
        following = first.uid + 1 if first.uid < LAST_UID else FIRST_UID
    (notes / str(following)).touch()
    with identities.lease() as second:
        assert second.uid not in (first.uid, following)
