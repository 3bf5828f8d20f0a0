"""Adds the number of words to each document, and refuses titles in capitals: a program for hooks in Python."""

import json
import sys

for line in sys.stdin:
    call = json.loads(line)
    document = call["document"]
    title = document.get("title")
    if isinstance(title, str) and title.isupper():
        refusal = {"status": 422, "message": "write the title in small letters", "field": "title"}
        answer = {"id": call["id"], "respond": refusal}
    else:
        document["words"] = len(str(document.get("body", "")).split())
        answer = {"id": call["id"], "document": document}
    # Each answer is one line, which must not wait in a buffer. Remarks go to sys.stderr.
    print(json.dumps(answer), flush=True)
