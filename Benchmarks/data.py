"""Documents and IDs that are the same in every run."""

import random

SEED = 20100412
BODY_LENGTH = 300
VOCABULARY = 5_000


def page_id(number):
    """Returns an ID that looks like a URL, 31 bytes."""
    return f"https://atlas.example/p/{number:07d}"


def write_pages(count, documents, table):
    """Writes `count` documents as JSON lines, and the same as tab-separated values for the sqlite3 shell."""
    rng = random.Random(SEED)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 9))) for _ in range(VOCABULARY)]
    with open(documents, "w") as json_lines, open(table, "w") as tab_separated:
        for number in range(count):
            name = page_id(number)
            body = " ".join(rng.choices(words, k=50))[:BODY_LENGTH].ljust(BODY_LENGTH, "x")
            json_lines.write(f'{{"id":"{name}","body":"{body}"}}\n')
            tab_separated.write(f"{name}\t{body}\n")


def write_shuffled_ids(count, taken, path):
    """Writes `taken` of the IDs of `count` pages, in random order."""
    rng = random.Random(SEED + taken)
    with open(path, "w") as ids:
        for number in rng.sample(range(count), taken):
            ids.write(page_id(number) + "\n")


def write_small_documents(count, path):
    """Writes documents that have only an ID, a number."""
    with open(path, "w") as documents:
        for number in range(1, count + 1):
            documents.write(f'{{"id":"{number}"}}\n')


def write_numbers(count, path):
    """Writes the output of `seq 1 COUNT`."""
    with open(path, "w") as numbers:
        for number in range(1, count + 1):
            numbers.write(f"{number}\n")
