"""Answers requests to an endpoint with a greeting: GET and POST /v1/api/greet."""

import json
import sys

for line in sys.stdin:
    call = json.loads(line)
    request, user = call["request"], call["user"]
    name = user["name"] if user else request["query"].get("name", "stranger")
    body = {"greeting": f"Hello, {name}", "method": request["method"], "received": request["body"]}
    answer = {"id": call["id"], "status": 200, "headers": {"Cache-Control": "no-store"}, "body": body}
    print(json.dumps(answer), flush=True)
