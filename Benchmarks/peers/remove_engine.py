"""Removes the IDs in a file with an engine's usual Python client. Arguments: engine, way, URL, collection, file."""

import itertools
import sys

BATCH = 1_000
THREADS = 4

engine, way, url, collection, path = sys.argv[1:]
ids = (line.rstrip("\n") for line in open(path))

if way == "pysolr":
    import pysolr

    solr = pysolr.Solr(f"{url}/{collection}", timeout=120)
    while batch := list(itertools.islice(ids, BATCH)):
        solr.delete(id=batch, commit=False)
else:
    if engine == "opensearch":
        from opensearchpy import OpenSearch as Client, helpers
    else:
        from elasticsearch import Elasticsearch as Client, helpers
    client = Client([url], timeout=120, maxsize=THREADS)
    actions = ({"_op_type": "delete", "_index": collection, "_id": name} for name in ids)
    options = {"chunk_size": BATCH, "raise_on_error": False}
    if way == "parallel_bulk":
        results = helpers.parallel_bulk(client, actions, thread_count=THREADS, **options)
    else:
        results = helpers.streaming_bulk(client, actions, max_retries=3, **options)
    failed = sum(not ok for ok, _ in results)
    if failed:
        sys.exit(f"{failed} failed")
