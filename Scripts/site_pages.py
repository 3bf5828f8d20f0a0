"""The pages that the program prints itself: rules, commands, exit codes and machine formats. Scripts/site uses this file."""
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
escape = html.escape


def plain(markup):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", markup)).split())


def table(headers, rows):
    head = "".join(f"<th>{h}</th>" for h in headers)
    cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table></div>'


def rule_pages(site):
    entries = json.loads(site.run("rules", "list", "-o", "json"))
    for entry in entries:
        rule = yaml.safe_load(site.run("rules", "show", entry["rule"], "-o", "yaml"))
        explain, parts = rule["explain"], []
        for key, name in [("what", "What it finds"), ("why", "Causes"), ("impact", "Impact")]:
            if explain.get(key):
                parts.append(f'<h2 id="{key}">{name}</h2><p>{escape(explain[key])}</p>')
        verdicts = [(escape(v["id"]), f'<span class="{escape(str(v.get("severity", "")))}">{escape(str(v.get("severity", "")))}</span>',
                     escape(str(v.get("confidence", ""))), escape(v.get("message", ""))) for v in rule.get("verdicts", [])]
        if verdicts:
            parts.append('<h2 id="verdicts">Verdicts</h2><p>The first that applies wins.</p>'
                         + table(["verdict", "severity", "confidence", "message"], verdicts))
        steps = ""
        for step in rule.get("fix", []):
            notes = "".join(f"<dt>{key}</dt><dd>{escape(step[key])}</dd>" for key in ("where", "effect", "undo") if step.get(key))
            steps += f'<li>{escape(step["step"])}<dl class="notes">{notes}</dl></li>'
        parts.append(f'<h2 id="fix">Steps</h2><ol>{steps}</ol>')
        if rule.get("verify"):
            parts.append(f'<h2 id="verify">Check that it is fixed</h2><p>{escape(rule["verify"])}</p>')
        sources = "".join(f'<li><a href="{escape(r["url"])}">{escape(r["title"])}</a></li>' if "url" in r else f'<li>{escape(r["title"])}</li>' for r in rule.get("references", []))
        parts.append(f'<h2 id="sources">Sources</h2><ul>{sources}</ul>')
        parts.append('<details><summary>The checks, as <code>fastctl rules show</code> prints them</summary>'
                     f'<pre tabindex="0">{escape(site.run("rules", "show", entry["rule"]))}</pre></details>')
        head = f'<p class="over"><a href="index.html">Rules</a> · {entry["category"]} · {entry["kind"]}</p>'
        title = f'{entry["rule"]}: {entry["title"]}'
        site.add(f'Rules/{entry["rule"]}.html', title, f"{head}<h1>{escape(title)}</h1>" + "".join(parts))
    rows = [(f'<a href="{e["rule"]}.html">{e["rule"]}</a>', escape(e["title"]), e["category"],
             f'<span class="{e["severity"]}">{e["severity"]}</span>') for e in entries]
    intro = '<p><code>fastctl diagnose</code> looks for each of these in logs and settings. <a href="../Guide/Diagnosis.html">How to use it</a> · <a href="../Guide/WritingRules.html">How to write a rule</a></p>'
    site.add("Rules/index.html", "Rules", f"<h1>Rules</h1>{intro}" + table(["rule", "title", "category", "severity"], rows))


def command_pages(site, scratch):
    site.run("man", "--folder", str(scratch))
    rows = []
    for file in sorted(scratch.glob("*.1")):
        fragment = subprocess.run(["mandoc", "-T", "html", "-O", "fragment,man=%N.html", str(file)], capture_output=True, text=True, check=True).stdout
        body = fragment[fragment.index('<div class="manual-text">'):fragment.rindex('<table class="foot">')]
        summary = plain(re.search(r'class="Nd">(.*?)</span>', body, re.S).group(1))
        name = plain(re.search(r'class="Nm">(fastctl[^<]*)</code>\s*<', body[body.index("SYNOPSIS"):]).group(1))
        # The page's own heading is the command, so those of the manual are one level lower.
        body = re.sub(r'(</?)h2\b', r"\1h3", body)
        body = re.sub(r'(</?)h1\b', r"\1h2", body).replace("<pre", '<pre tabindex="0"')
        body = re.sub(r'<h2([^>]*)>(<a[^>]*>)?(.*?)(</a>)?</h2>', lambda m: f"<h2{m[1]}>{m[3].capitalize()}</h2>", body, flags=re.S)
        body = re.sub(r'<section class="Sh">\s*<h2 class="Sh" id="NAME">.*?</section>', "", body, count=1, flags=re.S)
        body = re.sub(r'<h2 class="Sh" id', "<h2 id", body)
        body = body.replace('<table class="Nm">', '<table class="Nm" role="presentation">')
        head = f'<p class="over"><a href="index.html">Commands</a></p><h1>{escape(name)}</h1><p class="lead">{escape(summary)}.</p>'
        site.add(f"Commands/{file.stem}.html", name, head + body)
        rows.append((f'<a href="{file.stem}.html"><code>{escape(name)}</code></a>', escape(summary)))
    site.add("Commands/index.html", "Commands", "<h1>Commands</h1><p>The manual of each command, as <code>fastctl man</code> prints it.</p>"
             + table(["command", "purpose"], rows))


def exit_code_pages(site, path, guide):
    """The table of the guide, one page a row. The program lists the same codes, in its own words."""
    known = dict(re.findall(r"^  (\d+) +(.+)$", site.run("help", "exit-codes"), re.M))
    found = {}
    for row in re.findall(r"<tr>\s*<td>([\d, ]+)</td>\s*<td>(.*?)</td>\s*<td>(.*?)</td>\s*</tr>", guide, re.S):
        for code in row[0].split(", "):
            found[code] = row[1:]
    if set(found) != set(known):
        sys.exit(f"{path} and 'fastctl help exit-codes' list different codes: {sorted(set(found) ^ set(known), key=int)}")

    def sentence(text):
        """A cell of the table as a sentence, with links that lead there from another folder."""
        text = re.sub(r'href="(?:\./)?([A-Z]\w*\.html)', r'href="../Guide/\1', text)
        return text[0].upper() + text[1:] + "."

    for code, (meaning, remedy) in found.items():
        body = (f'<p class="over"><a href="index.html">Exit codes</a></p><h1>Exit code {code}</h1><p class="lead">{escape(known[code])}</p>'
                f'<h2 id="meaning">When it occurs</h2><p>{sentence(meaning)}</p>')
        if remedy:
            body += f'<h2 id="do">What to do</h2><p>{sentence(remedy)}</p>'
        body += '<p><a href="../Guide/Troubleshooting.html">Common questions</a> · <a href="../Guide/CI.html#exit-codes-for-gates">Exit codes for gates in CI</a></p>'
        site.add(f"ExitCodes/{code}.html", f"Exit code {code}", body)
    site.add("ExitCodes/index.html", "Exit codes", "<h1>Exit codes</h1><p>Every command ends with one of these codes; the last line on standard error reports the reason.</p>"
             + table(["code", "meaning"], [(f'<a href="{c}.html">{c}</a>', escape(known[c])) for c in found]))
    return set(found)


def format_pages(site, output):
    rows = []
    (output / "Formats").mkdir()
    for file in sorted((ROOT / "Schemas").glob("*.schema.json")):
        shutil.copy(file, output / "Formats" / file.name)
        name, _, purpose = json.loads(file.read_text())["title"].partition(": ")
        rows.append((f'<a href="{file.name}"><code>{escape(name)}</code></a>', escape(purpose)))
    intro = '<p>Each JSON object that fastctl prints names its format; <code>fastctl schema NAME</code> prints the format\'s JSON Schema, which is also linked here. <a href="../Reference/Formats.html">Which command prints which format</a></p>'
    site.add("Formats/index.html", "Machine formats", f"<h1>Machine formats</h1>{intro}" + table(["format", "contents"], rows))
