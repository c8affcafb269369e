"""Comments as pages, and as pictures where there is a Chromium: what a reviewer would have seen in each story.

Usage: python -m tools.comment_pictures FOLDER      (every *.comment.md in it)
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
LONGEST_S = 60
_PAGE = """<!doctype html>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font: 14px/1.5 sans-serif; max-width: 860px; margin: 24px auto; color: #1f2328; }}
table {{ border-collapse: collapse; margin: 12px 0; }}
th, td {{ border: 1px solid #d1d9e0; padding: 4px 12px; }}
code, pre {{ font-family: monospace; background: #f0f1f3; border-radius: 4px; padding: 1px 4px; }}
pre {{ padding: 10px; overflow: auto; }}
details {{ margin: 6px 0; }} sub {{ color: #59636e; }}
blockquote {{ border-left: 4px solid #d1d9e0; margin-left: 0; padding-left: 14px; color: #59636e; }}
</style>
{body}
"""


def page(markdown: str, title: str) -> str:
    """The comment as GitHub's own Markdown renders it; nothing in it can load or run."""
    body = str(cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE))
    return _PAGE.format(title=title, body=body.replace("<details>", "<details open>", 1))


def picture(browser: str, source: Path, target: Path) -> None:
    """Let the browser draw a page. Raises CalledProcessError or TimeoutExpired."""
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=940,1300")
    command = [browser, *flags, f"--screenshot={target}", source.as_uri()]
    subprocess.run(command, capture_output=True, timeout=LONGEST_S, check=True, stdin=subprocess.DEVNULL)


def main() -> int:
    """Write the pages, and the pictures; say what was done."""
    folder = Path(sys.argv[1]).absolute()
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), "")
    comments = sorted(folder.glob("*.comment.md"))
    drawn = 0
    for path in comments:
        html = path.with_suffix(".html")
        html.write_text(page(path.read_text("utf-8"), path.stem), encoding="utf-8")
        if browser:
            picture(browser, html, path.with_suffix(".png"))
            drawn += 1
    why = "" if browser else " (no pictures: there is no Chromium)"
    print(f"{len(comments)} comments kept as pages, {drawn} as pictures{why}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
