"""The page of the libraries, and their documentation as make docs wrote it. Scripts/site uses this file."""
import html
import posixpath
import re
import shutil
import sys

from site_pages import ROOT, table

escape = html.escape


def libraries():
    """The products that are libraries, each with the sentence at the top of its documentation."""
    for name in re.findall(r'^ *\.library\(name: "(\w+)"', (ROOT / "Package.swift").read_text(), re.M):
        articles = list(ROOT.glob(f"Sources/*/{name}/{name}.docc/{name}.md"))
        if len(articles) != 1:
            sys.exit(f"{name} has no Sources/…/{name}/{name}.docc/{name}.md")
        yield name, articles[0].read_text().split("\n\n")[1].replace("\n", " ")


def library_page(site, output, docs, link):
    """Lists the libraries, with their samples; `link` returns a path of the repository as a link from this page."""
    samples = {}
    for file, name in re.findall(r"^\| \[`\w+`\]\(([^)]*)\) \| `(\w+)` \|", (ROOT / "Samples/README.md").read_text(), re.M):
        samples.setdefault(name, []).append(f'<a href="{escape(link("Samples/" + file))}">{escape(file.split("/")[0])}</a>')
    listed = list(libraries())
    is_documented = all((docs / name / "index.html").is_file() for name, _ in listed)
    rows = []
    for name, purpose in listed:
        title = f"<code>{name}</code>"
        if is_documented:
            archive(docs / name, output / "Libraries" / name)
            title = f'<a href="{name}/documentation/{name.lower()}/">{title}</a>'
        rows.append((title, escape(purpose), ", ".join(samples.get(name, []))))
    intro = "<p>Swift libraries with which a program of yours can do what the commands do. Each has a sample, a page of code that the tests run."
    if is_documented:
        intro += (" The names link to the documentation of all declarations. Unlike the other pages, these need script, and a server:"
                  " <code>python3 -m http.server --directory .build/site</code>.</p>")
    else:
        intro += (" This site was made without the documentation of their declarations: <code>make docs</code> writes it, and the next"
                  " <code>make site</code> includes it.</p>")
    site.add("Libraries/index.html", "Libraries", f"<h1>Libraries</h1>{intro}" + table(["library", "purpose", "samples"], rows))


def archive(source, target):
    """Copies a library's documentation, which expects to be at the top of a server, so that it works in any folder."""
    shutil.copytree(source, target)
    # The pages request this file, which holds colors of one's own; without it, browsers report an error.
    (target / "theme-settings.json").write_text("{}\n")
    for file in target.rglob("*.html"):
        up = posixpath.relpath(".", file.relative_to(target).parent.as_posix())
        text, count = re.subn(r'var baseUrl = "/"', f'var baseUrl = new URL("{up}/", document.baseURI).pathname', file.read_text())
        if count != 1:
            sys.exit(f"{file} does not name its place as 'docc convert' of Swift 6.3 does; run 'make docs' again")
        file.write_text(re.sub(r'\b(href|src)="/(?!/)', rf'\1="{up}/', text))
