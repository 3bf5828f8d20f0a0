"""Finds links of a site's pages that lead nowhere, or that request something from elsewhere. Scripts/site uses this file."""
import urllib.parse
from html.parser import HTMLParser


# MARK: - Links

class Page(HTMLParser):
    """The anchors and links of a page."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.twice = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                if value in self.anchors:
                    self.twice.append(value)
                self.anchors.add(value)
            elif name in ("href", "src"):
                self.links.append((tag, value))


def broken_links(output):
    pages = {file: Page(file.read_text()) for file in output.rglob("*.html")}
    broken = []
    for file, page in pages.items():
        name = file.relative_to(output)
        broken += [f"{name}: the anchor {anchor} occurs twice" for anchor in page.twice]
        for tag, link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if tag != "a" or parts.scheme not in ("https", "http", "mailto"):
                    broken.append(f"{name}: <{tag}> requests {link}")
                continue
            target = (file.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else file
            if parts.path.endswith("/"):
                target /= "index.html"
            if not target.is_file() or not target.is_relative_to(output):
                broken.append(f"{name}: {link} leads nowhere")
            elif parts.fragment and urllib.parse.unquote(parts.fragment) not in pages.get(target, page).anchors:
                broken.append(f"{name}: {link} leads to no anchor")
    return broken, sum(len(page.links) for page in pages.values())
