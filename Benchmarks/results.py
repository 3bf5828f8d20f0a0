"""Published results: the table of a run as Markdown, with a chart for each group as SVG."""

import datetime
import os
import pathlib
import platform
import re
import shutil
import subprocess
from xml.sax.saxutils import escape

from table import COLUMNS

# A time or a speed as the table shows it. A speed counts if both sides have one, otherwise a time does.
TIME = re.compile(r"(?<![\w.])([\d,]+(?:\.\d+)?) (s|ms|µs)\b")
SPEED = re.compile(r"(?<![\w.])([\d,]+(?:\.\d+)?)( MB)?/s\b")
SECONDS = {"s": 1, "ms": 1e-3, "µs": 1e-6}

WIDTH, LABEL, BAR, ROW = 960, 420, 14, 52
# Readable in a light and in a dark page.
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .detail { fill: #59636e; font-size: 12px }
  .own { fill: #0969da } .other { fill: #afb8c1 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .detail { fill: #9198a1 } .own { fill: #4493f8 } .other { fill: #545d68 }
  }
"""


def write(table, folder, arguments):
    """Writes RESULTS.md and the charts into a folder; charts of groups that were not measured are removed."""
    folder = pathlib.Path(folder)
    charts = folder / "charts"
    shutil.rmtree(charts, ignore_errors=True)
    charts.mkdir(parents=True)
    parts = [
        "# Results", "",
        f"{table.title}; {machine()}; {datetime.date.today().isoformat()}. One run:", "",
        "```sh", f"make bench BENCH_FLAGS={quoted(arguments)}", "```", "",
        "[README.md](README.md) describes each row, its counterpart, and how it is measured. Times are medians. Goals refer to",
        "the full sizes; a run with `--quick` or `--divide` shows whether a row works, and roughly how fast. `Benchmarks/run",
        "--results FOLDER` writes this page.", "",
    ]
    for group, rows in table.groups():
        parts += [f"## {group}", ""]
        bars = [bar for bar in map(comparison, rows) if bar]
        if bars:
            (charts / f"{group}.svg").write_text(svg(f"{group}: fastctl and its counterparts", bars))
            parts += [f"![Bars of the rows below that have a counterpart](charts/{group}.svg)", ""]
        heads = [head or "met" for head in COLUMNS]
        parts += ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
        parts += ["| " + " | ".join(cell.strip().replace("|", "\\|") for cell in row) + " |" for row in rows]
        parts.append("")
    (folder / "RESULTS.md").write_text("\n".join(parts + [table.end(), ""]))


def quoted(arguments):
    return f'"{" ".join(arguments)}"' if len(arguments) != 1 else arguments[0]


def machine():
    """Describes the machine: its processor, cores, memory and kernel, but not its name."""
    models = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    system = platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    compiler = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout
    swift = re.search(r"Swift version [\d.]+", compiler)
    return ", ".join([
        (models or ["unknown processor"])[0], f"{memory:.0f} GB", system, f"Linux {'.'.join(platform.release().split('.')[:2])}",
        *([swift[0]] if swift else []),
    ])


def comparison(row):
    """Returns the texts and quantities of a row with a counterpart, as (what, own, other); `None` without one."""
    what, own, other, result = (cell.strip() for cell in row[:4])
    for pattern, value in ((SPEED, lambda m: number(m[1])), (TIME, lambda m: number(m[1]) * SECONDS[m[2]])):
        found = pattern.search(own), pattern.search(other)
        # Megabytes a second are not compared with documents a second.
        if all(found) and (pattern is TIME or found[0][2] == found[1][2]):
            return what, (own, value(found[0])), (other, value(found[1])), result, pattern is SPEED
    return None


def number(text):
    return float(text.replace(",", ""))


def svg(title, bars):
    """Draws two bars a row; the longer one takes the whole width."""
    height = 40 + ROW * len(bars)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
        f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>",
        f'<rect class="own" x="0" y="6" width="{BAR}" height="{BAR}"/><text x="20" y="18">fastctl</text>',
        f'<rect class="other" x="90" y="6" width="{BAR}" height="{BAR}"/><text x="110" y="18">counterpart</text>',
    ]
    for place, (what, own, other, result, is_speed) in enumerate(bars):
        top, longest = 36 + ROW * place, max(own[1], other[1]) or 1
        unit = "longer is faster" if is_speed else "shorter is faster"
        lines.append(f'<text x="0" y="{top + 12}">{escape(shortened(what))}</text>')
        detail = "; ".join(filter(None, (shortened(result, 36), unit)))
        lines.append(f'<text class="detail" x="0" y="{top + 28}">{escape(detail)}</text>')
        for line, (name, (text, size)) in enumerate((("own", own), ("other", other))):
            y = top + line * (BAR + 4)
            width = max(1, size / longest * (WIDTH - LABEL - 250))
            lines.append(f'<rect class="{name}" x="{LABEL}" y="{y}" width="{width:.1f}" height="{BAR}"/>')
            lines.append(f'<text class="detail" x="{LABEL + width + 6:.1f}" y="{y + 11}">{escape(shortened(text))}</text>')
    return "\n".join([*lines, "</svg>", ""])


def shortened(text, maximum=64):
    return text if len(text) <= maximum else text[:maximum - 1] + "…"
