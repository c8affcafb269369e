"""YAML is read plainly and safely: types, refusals with their places, bounds on hostile files."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gatebot.errors import ConfigError
from gatebot.suite.yaml_reader import MAX_DEPTH, MAX_FILE_BYTES, MAX_VALUES, Plain, read_yaml

CHARACTERS = st.characters(
    exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\ufffe\uffff\u2028\u2029"
)


def read(text: str) -> Plain:
    return read_yaml("f.yaml", text.encode()).value


def refusal_of(raw: bytes) -> ConfigError | None:
    try:
        read_yaml("f.yaml", raw)
    except ConfigError as error:
        return error
    return None


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("0", 0),
        ("-12", -12),
        ("+3", 3),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("-2.5E-1", -0.25),
        ("9223372036854775807", 2**63 - 1),
    ],
)
def test_typed_scalars(scalar: str, value: Plain) -> None:
    found = read(f"a: {scalar}\n")
    assert found == {"a": value}
    assert isinstance(found, dict)
    assert type(found["a"]) is type(value)


@pytest.mark.parametrize(
    "scalar",
    [
        "no",
        "yes",
        "on",
        "off",
        "y",
        "n",
        "NO",
        "tRUE",
        "012",
        "0o17",
        "0x1F",
        "0b1",
        "1:30",
        "1_000",
        "2024-05-01",
        "2024-05-01T10:00:00Z",
        "1.2.3",
        "=",
        "1e",
        "0.1.",
        "+",
        ".",
        "nan",
        "inf",
        "٣",
        "-01",
        "99.9%",
        "<<a",
    ],
)
def test_everything_else_stays_the_text_it_is(scalar: str) -> None:
    assert read(f"a: {scalar}\n") == {"a": scalar}
    assert read(f"a: '{scalar}'\n") == {"a": scalar}


@pytest.mark.parametrize("scalar", ["true", "null", "12", "1.5", "~", ".nan", "1e999"])
def test_quoted_and_block_scalars_are_text(scalar: str) -> None:
    assert read(f'a: "{scalar}"\nb: |\n  {scalar}\n') == {"a": scalar, "b": scalar + "\n"}


def test_keys_that_look_like_truth_in_old_yaml_are_text() -> None:
    assert read("no: 1\non: 2\n2024-05-01: 3\n") == {"no": 1, "on": 2, "2024-05-01": 3}


def test_a_byte_order_mark_and_an_explicit_start_are_fine() -> None:
    assert read_yaml("f", b"\xef\xbb\xbf---\na: 1\n...\n").value == {"a": 1}
    assert read_yaml("f", b"").value is None
    assert read_yaml("f", b"# nothing\n").value is None


REFUSED = [
    ("a: &x 1\n", 1, 4, "anchors (&x) are not read"),
    ("a: 1\nb: *x\n", 2, 4, "aliases (*x) are not read"),
    ("a:\n  <<: {b: 1}\n", 2, 3, "merge keys (<<) are not read"),
    ("a: !!python/object:os.system x\n", 1, 4, "tags (!!python/object:os.system) are not read"),
    ("a: !!str 1\n", 1, 4, "tags (!!str) are not read"),
    ("a: ! 1\n", 1, 4, "tags (!) are not read"),
    ("!!map {a: 1}\n", 1, 1, "tags (!!map) are not read"),
    ("a: 1\nb: 2\na: 3\n", 3, 1, "duplicate key 'a'"),
    ("x:\n  - {b: 1, b: 2}\n", 2, 12, "duplicate key 'b'"),
    ('a: 1\n"a": 2\n', 2, 1, "duplicate key 'a'"),
    ("a: 1\n---\nb: 2\n", 2, 1, "a second document begins here"),
    ("1: a\n", 1, 1, "a key must be text, here is 1"),
    ("true: a\n", 1, 1, "a key must be text, here is true"),
    ("? \n: a\n", 1, 2, "a key must be text, here is nothing"),
    ("? [a]\n: b\n", 1, 3, "a key must be text, here is a list or mapping"),
    ("a: .nan\n", 1, 4, ".nan is no number that can be compared"),
    ("a: -.inf\n", 1, 4, "-.inf is no number that can be compared"),
    ("a: 1e999\n", 1, 4, "a number beyond the range of floats"),
    ("a: 9223372036854775808\n", 1, 4, "an integer beyond 64 bits"),
    ("a: " + "9" * 5000 + "\n", 1, 4, "an integer beyond 64 bits"),
    ('a: "x\\0y"\n', 1, 4, "text with the character U+0000"),
    ("a: 1\nb: x\x00y\n", 2, 5, "a control character (U+0000) stands in the file"),
    ("a: \x1b[31m\n", 1, 4, "a control character (U+001B) stands in the file"),
    ("a: b: c\n", 1, 5, "not valid YAML: mapping values are not allowed in this context"),
    ("a:\n\tb: 1\n", 2, 1, "not valid YAML: a tab stands where the text is indented"),
    ("a: [1, 2\n", 2, 1, "not valid YAML: did not find expected ',' or ']'"),
    ("a: 'x\n", 2, 1, "not valid YAML: found unexpected end of stream"),
    ("a: @x\n", 1, 4, "not valid YAML: found character that cannot start any token"),
]


@pytest.mark.parametrize(("text", "line", "column", "message"), REFUSED, ids=[r[3][:40] for r in REFUSED])
def test_refused_with_its_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(text)
    location = caught.value.location
    assert location is not None
    assert (location.path, location.line, location.column) == ("f.yaml", line, column)
    assert caught.value.message == message
    assert caught.value.hint


@pytest.mark.parametrize("text", [row[0] for row in REFUSED if "not valid YAML" not in row[3]])
def test_without_the_c_library_the_same_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = refusal_of(text.encode())
    monkeypatch.setattr("gatebot.suite.yaml_reader.LOADER", yaml.SafeLoader)
    found = refusal_of(text.encode())
    assert expected is not None
    assert found is not None
    assert (found.message, found.location) == (expected.message, expected.location)


def test_a_duplicate_key_tells_where_the_first_one_stands() -> None:
    with pytest.raises(ConfigError) as caught:
        read("x:\n  - c: 1\n  - a: 1\n    b:\n      d: 1\n    a: 2\n")
    assert caught.value.hint == "it stands in line 3 already: keep one"


@pytest.mark.parametrize("raw", [b"a: \xff\n", b"a: \xed\xa0\x80\n", "a: 1".encode("utf-16"), b"\xc0\x80"])
def test_only_utf8(raw: bytes) -> None:
    with pytest.raises(ConfigError, match="not UTF-8"):
        read_yaml("f.yaml", raw)


def test_a_lone_surrogate_as_an_escape_is_refused() -> None:
    with pytest.raises(ConfigError):
        read('a: "\\ud800"\n')


def test_depth_is_bounded() -> None:
    assert read("[" * MAX_DEPTH + "]" * MAX_DEPTH) is not None
    with pytest.raises(ConfigError, match="nested deeper than 64 levels"):
        read("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))
    with pytest.raises(ConfigError, match="nested deeper than 64 levels"):
        read("\n".join(" " * i + "a:" for i in range(MAX_DEPTH + 2)))


def test_the_number_of_values_is_bounded() -> None:
    assert read("[" + "1," * (MAX_VALUES - 1) + "]") is not None
    with pytest.raises(ConfigError, match="more than 50,000 keys and values"):
        read("[" + "1," * MAX_VALUES + "]")


def test_size_is_bounded() -> None:
    with pytest.raises(ConfigError, match="more than 256 kB"):
        read_yaml("f.yaml", b"#" * (MAX_FILE_BYTES + 1))


@given(st.binary(max_size=200))
def test_any_bytes_give_a_value_or_one_typed_error(raw: bytes) -> None:
    refusal = refusal_of(raw)
    assert refusal is None or (refusal.location is not None and refusal.hint)


PIECES = st.sampled_from(
    [
        "a",
        "b",
        ": ",
        ":",
        "- ",
        "\n",
        "  ",
        "[",
        "]",
        "{",
        "}",
        ",",
        "&x ",
        "*x",
        "!",
        "!!str ",
        "'",
        '"',
        "|\n",
        ">",
        "?",
        "<<",
        "1",
        ".5",
        "#",
        "%",
        "---",
        "...",
        "\t",
        "@",
        "~",
        "null",
        "\\",
        "é",
        "\ufeff",
        "\u2028",
        "=",
        "`",
    ]
)


@given(st.lists(PIECES, max_size=40))
def test_any_mixture_of_syntax_gives_a_value_or_one_typed_error(pieces: list[str]) -> None:
    raw = "".join(pieces).encode()
    refusal = refusal_of(raw)
    if refusal is None:
        assert read_yaml("f", raw).locate(("a", 0, "b")).line >= 1
    else:
        assert refusal.location is not None
        assert refusal.hint


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(CHARACTERS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(CHARACTERS), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_json_is_read_as_itself(value: Plain) -> None:
    assert read(json.dumps(value, ensure_ascii=False, indent=1)) == value


def test_places_of_keys_and_values() -> None:
    document = read_yaml("f", b"a: 1\nb:\n  - x\n  - c: {d: 5, e:   6}\n    f: 7\n")
    places = {
        (): (1, 1),
        ("a",): (1, 4),
        ("b",): (3, 3),
        ("b", 0): (3, 5),
        ("b", 1): (4, 5),
        ("b", 1, "c"): (4, 8),
        ("b", 1, "c", "e"): (4, 20),
        ("b", 1, "f"): (5, 8),
        ("b", 1, "nope", "x"): (4, 5),
        ("b", 9): (3, 3),
        ("nope",): (1, 1),
    }
    for path, (line, column) in places.items():
        found = document.locate(path)
        assert (found.line, found.column) == (line, column), path
    key = document.locate(("b", 1, "c", "e"), key=True)
    assert (key.line, key.column) == (4, 15)


def test_places_do_not_stray_into_later_siblings_with_the_same_names() -> None:
    document = read_yaml("f", b"x:\n  a: 1\ny:\n  b: 2\n")
    found = document.locate(("x", "b"))
    assert (found.line, found.column) == (2, 3)
