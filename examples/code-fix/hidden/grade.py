"""Do the hidden tests pass? `python3 -I hidden/grade.py hidden/test_pages.py`, in the tree the agent left.

The tests import what the agent wrote, so they run in a process of their own: code that ends it early with exit code 0
has not run every test, and says so by what is missing.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path


def main(path: str) -> int:
    """0 when every test in the file has run and passed."""
    tree = ast.parse(Path(path).read_text("utf-8"))
    tests = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    wanted = sum(name.startswith("test") for name in tests)
    argv = [sys.executable, "-S", "-B", "-m", "unittest", "-v", path]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=30)
    passed = len(re.findall(r"^test\w* .*\.\.\. ok$", done.stderr, re.MULTILINE))
    finished = re.search(rf"^Ran {wanted} tests? in .*\n\nOK$", done.stderr, re.MULTILINE)
    print(f"{passed} of {wanted} hidden tests pass")
    return 0 if done.returncode == 0 and finished and passed == wanted else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
