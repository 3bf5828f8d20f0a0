// swift-format-ignore-file
// Written by Scripts/embed-schemas: change the files in Schemas, then "make schemas".

/// The JSON Schemas, as written in their files, by the names of these.
enum BuiltInSchemas {
    static let files: [(name: String, text: StaticString)] = [
        ("alias.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:alias:1",
  "title": "fastctl.alias/1: another name for collections, by collections alias list",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.alias/1"
    },
    "name": {
      "type": "string",
      "description": "The alias."
    },
    "collections": {
      "type": "array",
      "items": {
        "type": "string"
      },
      "description": "The engine's names of the collections that it stands for."
    }
  },
  "required": [
    "schema",
    "name",
    "collections"
  ],
  "additionalProperties": false
}

"""##),
        ("baseline.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:baseline:1",
  "title": "fastctl.baseline/1: known findings, by diagnose --write-baseline; --baseline reads it",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.baseline/1"
    },
    "findings": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "rule": {
            "type": "string",
            "description": "The rule's ID."
          },
          "fingerprint": {
            "type": "string",
            "description": "What tells the finding from others of its rule."
          },
          "severity": {
            "enum": [
              "critical",
              "error",
              "warning",
              "info"
            ],
            "description": "The severity."
          },
          "title": {
            "type": "string",
            "description": "The rule's title."
          },
          "servers": {
            "type": "array",
            "items": {
              "type": "string",
              "description": "A server's name."
            },
            "description": "Servers that it was on."
          }
        },
        "required": [
          "rule",
          "fingerprint",
          "severity",
          "title",
          "servers"
        ],
        "additionalProperties": false
      },
      "description": "The findings."
    }
  },
  "required": [
    "schema",
    "findings"
  ],
  "additionalProperties": false
}

"""##),
        ("collection.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:collection:1",
  "title": "fastctl.collection/1: a collection, by collections list and show",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.collection/1"
    },
    "name": {
      "type": "string",
      "description": "The engine's name of the collection."
    },
    "documents": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "Live documents; null if the number is not known."
    },
    "waiting": {
      "type": "integer",
      "minimum": 0,
      "description": "Documents that are removed or replaced and not yet merged."
    },
    "bytes": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "Its size on disk in bytes; null if the engine does not tell."
    },
    "settings": {
      "type": "object",
      "additionalProperties": {
        "type": "string"
      },
      "description": "Settings in the engine's own terms."
    }
  },
  "required": [
    "schema",
    "name",
    "documents",
    "waiting",
    "bytes",
    "settings"
  ],
  "additionalProperties": false
}

"""##),
        ("collectionChange.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:collectionChange:1",
  "title": "fastctl.collectionChange/1: what was done to a collection, by collections create, clear, delete and optimize",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.collectionChange/1"
    },
    "action": {
      "enum": [
        "created",
        "cleared",
        "deleted",
        "optimized"
      ],
      "description": "What was done."
    },
    "name": {
      "type": "string",
      "description": "The engine's name of the collection."
    },
    "target": {
      "type": "string",
      "description": "The address of the target."
    },
    "documents": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "Documents that were removed or merged; null if the number is not known."
    },
    "bytesBefore": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "The size of the store before, in bytes; null if it was not asked for."
    },
    "bytesAfter": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "The size of the store afterwards, in bytes; null if it was not asked for."
    }
  },
  "required": [
    "schema",
    "action",
    "name",
    "target",
    "documents",
    "bytesBefore",
    "bytesAfter"
  ],
  "additionalProperties": false
}

"""##),
        ("comparison.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:comparison:1",
  "title": "fastctl.comparison/1: what differs between two logs or times, by logs compare",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.comparison/1"
    },
    "a": {
      "$ref": "#/$defs/side"
    },
    "b": {
      "$ref": "#/$defs/side"
    },
    "basis": {
      "enum": [
        "requests",
        "hours"
      ],
      "description": "Whether failures are counted for 1,000 requests or for an hour."
    },
    "commonServers": {
      "type": "boolean",
      "description": "Whether a server is in both; otherwise all of A is compared with all of B."
    },
    "worse": {
      "type": "boolean",
      "description": "Whether B has new kinds of failures, or slower requests."
    },
    "failures": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "change": {
            "enum": [
              "new",
              "more",
              "gone",
              "fewer",
              "only-a",
              "only-b"
            ],
            "description": "What has changed from A to B; only-a and only-b are too rare to mean something."
          },
          "id": {
            "type": "string",
            "description": "The kind's ID."
          },
          "eventID": {
            "type": [
              "string",
              "null"
            ],
            "description": "The ID of its events; null if they have none."
          },
          "template": {
            "type": "string",
            "description": "Its text without what differs."
          },
          "exception": {
            "type": [
              "string",
              "null"
            ],
            "description": "Its exception; null if it has none."
          },
          "rowsA": {
            "type": "integer",
            "minimum": 0,
            "description": "Rows in A, on servers that both cover if it has rows there."
          },
          "rowsB": {
            "type": "integer",
            "minimum": 0,
            "description": "Rows in B, likewise."
          },
          "rateA": {
            "type": "number",
            "minimum": 0,
            "description": "Failures in A for 1,000 requests or for an hour, by the basis."
          },
          "rateB": {
            "type": "number",
            "minimum": 0,
            "description": "The same in B."
          },
          "server": {
            "type": [
              "string",
              "null"
            ],
            "description": "The server that nearly all of the growth is on, of several; null if it is on more, or if it is no growth."
          },
          "serverRateA": {
            "type": [
              "number",
              "null"
            ],
            "minimum": 0,
            "description": "The rate in A on that server; null without one."
          },
          "serverRateB": {
            "type": [
              "number",
              "null"
            ],
            "minimum": 0,
            "description": "The same in B."
          }
        },
        "required": [
          "change",
          "id",
          "eventID",
          "template",
          "exception",
          "rowsA",
          "rowsB",
          "rateA",
          "rateB",
          "server",
          "serverRateA",
          "serverRateB"
        ],
        "additionalProperties": false
      },
      "description": "Kinds of failures that differ, what matters most first."
    },
    "unchanged": {
      "type": "integer",
      "minimum": 0,
      "description": "Kinds of failures that are about as frequent in both."
    },
    "requests": {
      "oneOf": [
        {
          "type": "null"
        },
        {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "change": {
                "enum": [
                  "slower",
                  "faster"
                ],
                "description": "What has changed from A to B."
              },
              "request": {
                "type": "string",
                "description": "Method and path, without what differs."
              },
              "countA": {
                "type": "integer",
                "minimum": 0,
                "description": "Requests in A."
              },
              "countB": {
                "type": "integer",
                "minimum": 0,
                "description": "Requests in B."
              },
              "p50SecondsA": {
                "type": [
                  "number",
                  "null"
                ],
                "minimum": 0,
                "description": "The time that half of them took at most in A, in seconds."
              },
              "p50SecondsB": {
                "type": [
                  "number",
                  "null"
                ],
                "minimum": 0,
                "description": "The same in B."
              },
              "p95SecondsA": {
                "type": [
                  "number",
                  "null"
                ],
                "minimum": 0,
                "description": "The time that 19 of 20 took at most in A, in seconds."
              },
              "p95SecondsB": {
                "type": [
                  "number",
                  "null"
                ],
                "minimum": 0,
                "description": "The same in B."
              }
            },
            "required": [
              "change",
              "request",
              "countA",
              "countB",
              "p50SecondsA",
              "p50SecondsB",
              "p95SecondsA",
              "p95SecondsB"
            ],
            "additionalProperties": false
          }
        }
      ],
      "description": "Requests that take longer or less long; null if the times of one are not known."
    }
  },
  "required": [
    "schema",
    "a",
    "b",
    "basis",
    "commonServers",
    "worse",
    "failures",
    "unchanged",
    "requests"
  ],
  "additionalProperties": false,
  "$defs": {
    "side": {
      "type": "object",
      "description": "One of the two logs or times.",
      "properties": {
        "name": {
          "type": "string",
          "description": "What was named: a file, a folder, a time."
        },
        "firstTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The time of the first row; null if there is none, or for what logs baseline wrote."
        },
        "lastTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The time of the last row; null if there is none, or for what logs baseline wrote."
        },
        "requests": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 0,
          "description": "Requests; null if they were not counted."
        },
        "failedRequests": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 0,
          "description": "Requests that failed; null if they were not counted."
        },
        "kinds": {
          "type": "integer",
          "minimum": 0,
          "description": "Kinds of failures."
        },
        "incomplete": {
          "type": "boolean",
          "description": "Whether something was not read."
        },
        "servers": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "name": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "The server; null if it is not known."
              },
              "hours": {
                "type": "number",
                "minimum": 0,
                "description": "Hours that its rows cover."
              },
              "requests": {
                "type": [
                  "integer",
                  "null"
                ],
                "minimum": 0,
                "description": "Its requests; null if they were not counted."
              }
            },
            "required": [
              "name",
              "hours",
              "requests"
            ],
            "additionalProperties": false
          },
          "description": "Its servers."
        },
        "missingServers": {
          "type": "array",
          "items": {
            "type": "string",
            "description": "A server's name."
          },
          "description": "Servers that only the other one has."
        },
        "gaps": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "server": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "The server; null if it is not known."
              },
              "from": {
                "type": [
                  "string",
                  "null"
                ],
                "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
                "description": "Its last row before the gap; null if that has no time."
              },
              "until": {
                "type": [
                  "string",
                  "null"
                ],
                "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
                "description": "Its first row after the gap; null if that has no time."
              }
            },
            "required": [
              "server",
              "from",
              "until"
            ],
            "additionalProperties": false
          },
          "description": "Times in which a server wrote nothing."
        }
      },
      "required": [
        "name",
        "firstTime",
        "lastTime",
        "requests",
        "failedRequests",
        "kinds",
        "incomplete",
        "servers",
        "missingServers",
        "gaps"
      ],
      "additionalProperties": false
    }
  }
}

"""##),
        ("context.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:context:1",
  "title": "fastctl.context/1: a named target, by contexts list and show",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.context/1"
    },
    "name": {
      "type": [
        "string",
        "null"
      ],
      "description": "The name of the context; null if the target has none."
    },
    "current": {
      "type": "boolean",
      "description": "Whether it is the current one."
    },
    "target": {
      "type": "string",
      "description": "The address of the target."
    },
    "collection": {
      "type": [
        "string",
        "null"
      ],
      "description": "The collection, unless a command names another; null if none is set."
    },
    "protected": {
      "type": "boolean",
      "description": "Whether writing needs its name as confirmation."
    },
    "settings": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/setting"
      },
      "description": "All settings that apply."
    },
    "collections": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/setting"
      },
      "description": "Collections by the names used here, with the names that the engine knows."
    }
  },
  "required": [
    "schema",
    "name",
    "current",
    "target",
    "collection",
    "protected",
    "settings",
    "collections"
  ],
  "additionalProperties": false,
  "$defs": {
    "setting": {
      "type": "object",
      "properties": {
        "name": {
          "type": "string",
          "description": "The name."
        },
        "value": {
          "type": "string",
          "description": "The value; never a secret."
        },
        "origin": {
          "enum": [
            "option",
            "environment",
            "project-file",
            "user-file",
            "default"
          ],
          "description": "Where it comes from."
        },
        "place": {
          "type": [
            "string",
            "null"
          ],
          "description": "The option, the variable, or file and line; null for a default."
        }
      },
      "required": [
        "name",
        "value",
        "origin",
        "place"
      ],
      "additionalProperties": false
    }
  }
}

"""##),
        ("copy.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:copy:1",
  "title": "fastctl.copy/1: an offline copy, by copies show",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.copy/1"
    },
    "name": {
      "type": "string",
      "description": "The name of the copy."
    },
    "origin": {
      "type": "object",
      "description": "What it is a copy of.",
      "properties": {
        "target": {
          "type": "string",
          "description": "The origin's address."
        },
        "collection": {
          "type": "string",
          "description": "The collection there."
        },
        "fields": {
          "type": "object",
          "additionalProperties": {
            "type": "string"
          },
          "description": "Only documents with these values are copied."
        },
        "query": {
          "type": [
            "string",
            "null"
          ],
          "description": "Only documents that match this are copied, in the engine's own language; null for all."
        },
        "keys": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Only these top-level keys are copied; empty for whole documents."
        },
        "identity": {
          "type": [
            "string",
            "null"
          ],
          "description": "What tells this collection from another of its name; null if it is not known."
        }
      },
      "required": [
        "target",
        "collection",
        "fields",
        "query",
        "keys",
        "identity"
      ],
      "additionalProperties": false
    },
    "documents": {
      "type": "integer",
      "minimum": 0,
      "description": "Documents in the copy."
    },
    "known": {
      "type": "integer",
      "minimum": 0,
      "description": "Documents whose version at the origin is known."
    },
    "queued": {
      "type": "integer",
      "minimum": 0,
      "description": "Changes that wait to be pushed."
    },
    "pulledAt": {
      "type": [
        "string",
        "null"
      ],
      "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$",
      "description": "When it was last pulled, ISO 8601 in UTC, with milliseconds; null if there is none"
    },
    "isComplete": {
      "type": "boolean",
      "description": "Whether that pull came to its end."
    }
  },
  "required": [
    "schema",
    "name",
    "origin",
    "documents",
    "known",
    "queued",
    "pulledAt",
    "isComplete"
  ],
  "additionalProperties": false
}

"""##),
        ("diagnosis.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:diagnosis:1",
  "title": "fastctl.diagnosis/1: the findings of diagnose -o json",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.diagnosis/1"
    },
    "inputs": {
      "$ref": "#/$defs/inputs"
    },
    "findings": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/finding"
      },
      "description": "Findings, worst first."
    },
    "passed": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "rule": {
            "type": "string",
            "pattern": "^FS[0-9]{4}$",
            "description": "The ID of the rule."
          },
          "slug": {
            "type": "string",
            "description": "The short name of the rule."
          },
          "title": {
            "type": "string",
            "description": "What the rule is about."
          }
        },
        "required": [
          "rule",
          "slug",
          "title"
        ],
        "additionalProperties": false
      },
      "description": "Rules that found nothing."
    },
    "notEvaluated": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "rule": {
            "type": "string",
            "pattern": "^FS[0-9]{4}$",
            "description": "The ID of the rule."
          },
          "slug": {
            "type": "string",
            "description": "The short name of the rule."
          },
          "title": {
            "type": "string",
            "description": "What the rule is about."
          },
          "reason": {
            "type": "string",
            "description": "Why."
          }
        },
        "required": [
          "rule",
          "slug",
          "title",
          "reason"
        ],
        "additionalProperties": false
      },
      "description": "Rules that could not be evaluated."
    },
    "undecided": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "rule": {
            "type": "string",
            "description": "The ID of the rule."
          },
          "fingerprint": {
            "type": "string",
            "description": "The fingerprint of its finding."
          },
          "verdicts": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "description": "Verdicts that the input does not decide."
          }
        },
        "required": [
          "rule",
          "fingerprint",
          "verdicts"
        ],
        "additionalProperties": false
      },
      "description": "Findings of which a worse or milder verdict may be true."
    },
    "unexplained": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/unexplained"
      },
      "description": "Kinds of rows that show a problem and that no rule explains."
    },
    "unexplainedEvents": {
      "type": "integer",
      "minimum": 0,
      "description": "Rows that show a problem and that no rule explains."
    },
    "unexplainedKinds": {
      "type": "integer",
      "minimum": 0,
      "description": "Kinds of such rows, listed or not."
    },
    "unexplainedFollowing": {
      "type": "integer",
      "minimum": 0,
      "description": "Rows among them that belong to none of the kinds: they only follow one in the same requests."
    },
    "unexplainedIsAtLeast": {
      "type": "boolean",
      "description": "Whether there may be more unexplained rows: a limit was reached."
    },
    "changes": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/change"
      },
      "description": "What is unusual about the log as a whole."
    },
    "normalRows": {
      "type": "integer",
      "minimum": 0,
      "description": "Rows of kinds that are normal."
    },
    "normalKinds": {
      "type": "integer",
      "minimum": 0,
      "description": "Kinds of rows that are normal."
    },
    "findingsAreAtLeast": {
      "type": "boolean",
      "description": "Whether there may be more findings: a limit was reached."
    },
    "suppressed": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "finding": {
            "oneOf": [
              {
                "type": "null"
              },
              {
                "$ref": "#/$defs/finding"
              }
            ],
            "description": "The finding; null if it is a kind of rows."
          },
          "unexplained": {
            "oneOf": [
              {
                "type": "null"
              },
              {
                "$ref": "#/$defs/unexplained"
              }
            ],
            "description": "The kind of unexplained rows; null if it is a finding."
          },
          "suppression": {
            "type": "object",
            "description": "The suppression.",
            "properties": {
              "file": {
                "type": "string",
                "description": "The file that says it."
              },
              "line": {
                "type": "integer",
                "minimum": 1,
                "description": "The line where it begins."
              },
              "reason": {
                "type": "string",
                "description": "Why it is hidden."
              },
              "owner": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "Who answers for it; null if nobody is named."
              },
              "until": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "The last day on which it holds; null if there is none."
              }
            },
            "required": [
              "file",
              "line",
              "reason",
              "owner",
              "until"
            ],
            "additionalProperties": false
          }
        },
        "required": [
          "finding",
          "unexplained",
          "suppression"
        ],
        "additionalProperties": false
      },
      "description": "Findings and kinds of rows that suppressions hide."
    },
    "quality": {
      "oneOf": [
        {
          "type": "null"
        },
        {
          "$ref": "#/$defs/quality"
        }
      ],
      "description": "How well the logs were read; null if no logs were given."
    },
    "limits": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/limit"
      },
      "description": "Limits that were reached, and what was left out."
    },
    "redaction": {
      "oneOf": [
        {
          "type": "null"
        },
        {
          "$ref": "#/$defs/redaction"
        }
      ],
      "description": "What was masked; null if everything is shown and nobody asked for that."
    },
    "exitCode": {
      "type": "integer",
      "minimum": 0,
      "description": "The exit code of the command."
    },
    "suppressions": {
      "type": [
        "string",
        "null"
      ],
      "description": "The file of suppressions; null without one."
    },
    "gone": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "rule": {
            "type": "string",
            "description": "The rule's ID."
          },
          "title": {
            "type": "string",
            "description": "Its title."
          },
          "severity": {
            "enum": [
              "critical",
              "error",
              "warning",
              "info"
            ],
            "description": "The severity."
          },
          "fingerprint": {
            "type": "string",
            "description": "What tells the finding from others of its rule."
          }
        },
        "required": [
          "rule",
          "title",
          "severity",
          "fingerprint"
        ],
        "additionalProperties": false
      },
      "description": "Findings of the baseline that are gone."
    },
    "knownNotLookedFor": {
      "type": "integer",
      "minimum": 0,
      "description": "Findings of the baseline that this run could not have seen."
    }
  },
  "required": [
    "schema",
    "inputs",
    "findings",
    "passed",
    "notEvaluated",
    "undecided",
    "unexplained",
    "unexplainedEvents",
    "unexplainedKinds",
    "unexplainedFollowing",
    "unexplainedIsAtLeast",
    "changes",
    "normalRows",
    "normalKinds",
    "findingsAreAtLeast",
    "suppressed",
    "quality",
    "limits",
    "redaction",
    "exitCode",
    "suppressions",
    "gone",
    "knownNotLookedFor"
  ],
  "additionalProperties": false,
  "$defs": {
    "quality": {
      "type": "object",
      "description": "How well the logs were read.",
      "properties": {
        "lines": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines that were read."
        },
        "records": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows, parts of split messages included."
        },
        "parts": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows that continue a split message."
        },
        "continuations": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines that continue the row before them."
        },
        "headers": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines with the titles of columns."
        },
        "blank": {
          "type": "integer",
          "minimum": 0,
          "description": "Blank lines."
        },
        "notUnderstood": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines that belong to no event."
        },
        "orphans": {
          "type": "integer",
          "minimum": 0,
          "description": "Messages that begin before what was read."
        },
        "clockSteps": {
          "type": "integer",
          "minimum": 0,
          "description": "Times that a server's clock was set back."
        },
        "inferred": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows without columns, whose fields were inferred."
        },
        "limits": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "limit": {
                "type": "string",
                "description": "The name of the limit. Names may be added."
              },
              "count": {
                "type": "integer",
                "minimum": 0,
                "description": "How often it was reached."
              },
              "maximum": {
                "type": "integer",
                "minimum": 0,
                "description": "The limit."
              }
            },
            "required": [
              "limit",
              "count",
              "maximum"
            ],
            "additionalProperties": false
          },
          "description": "Limits that were reached; numbers may then be bounds."
        }
      },
      "required": [
        "lines",
        "records",
        "parts",
        "continuations",
        "headers",
        "blank",
        "notUnderstood",
        "orphans",
        "clockSteps",
        "inferred",
        "limits"
      ],
      "additionalProperties": false
    },
    "file": {
      "type": "object",
      "description": "One file of the logs.",
      "properties": {
        "name": {
          "type": "string",
          "description": "The file, as it was named or found."
        },
        "server": {
          "type": [
            "string",
            "null"
          ],
          "description": "The server, from the file's name; null if it does not say."
        },
        "bytes": {
          "type": "integer",
          "minimum": 0,
          "description": "Bytes that were read."
        },
        "records": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows in it that were selected."
        },
        "firstTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The earliest time in it; null if it is not known"
        },
        "lastTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The latest time in it; null if it is not known"
        },
        "skipped": {
          "type": "boolean",
          "description": "Whether it was not opened, because by its name it lies outside the window."
        },
        "unreadBytes": {
          "type": "integer",
          "minimum": 0,
          "description": "Bytes that were not read, because by samples they lie outside the window."
        },
        "incomplete": {
          "type": "boolean",
          "description": "Whether it was not read to its end."
        },
        "notes": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Sentences for people about how it was read."
        }
      },
      "required": [
        "name",
        "server",
        "bytes",
        "records",
        "firstTime",
        "lastTime",
        "skipped",
        "unreadBytes",
        "incomplete",
        "notes"
      ],
      "additionalProperties": false
    },
    "evidence": {
      "type": "object",
      "description": "An event, and where it stands.",
      "properties": {
        "file": {
          "type": "string",
          "description": "The file, as it was named or found."
        },
        "line": {
          "type": "integer",
          "minimum": 1,
          "description": "The first line, from 1."
        },
        "lineEnd": {
          "type": "integer",
          "minimum": 1,
          "description": "The last line."
        },
        "time": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The event's time; null if it is not known"
        },
        "server": {
          "type": [
            "string",
            "null"
          ],
          "description": "The event's server; null if it is not known."
        },
        "eventID": {
          "type": [
            "string",
            "null"
          ],
          "description": "The event's ID; null if it has none."
        },
        "correlation": {
          "type": [
            "string",
            "null"
          ],
          "description": "The request's correlation, in lowercase; null if there is none."
        },
        "text": {
          "type": "string",
          "description": "The message, or its beginning."
        },
        "truncated": {
          "type": "boolean",
          "description": "Whether the message is longer."
        }
      },
      "required": [
        "file",
        "line",
        "lineEnd",
        "time",
        "server",
        "eventID",
        "correlation",
        "text",
        "truncated"
      ],
      "additionalProperties": false
    },
    "config": {
      "type": "object",
      "description": "An element of a web.config.",
      "properties": {
        "file": {
          "type": "string",
          "description": "The web.config file."
        },
        "server": {
          "type": [
            "string",
            "null"
          ],
          "description": "The server it is from, as given on the command line."
        },
        "zone": {
          "type": [
            "string",
            "null"
          ],
          "description": "The zone it is from, as given on the command line."
        },
        "element": {
          "type": "string",
          "description": "The element's path: system.web/trace."
        },
        "location": {
          "type": [
            "string",
            "null"
          ],
          "description": "The path of the <location> around the element; null if there is none."
        },
        "line": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 1,
          "description": "The first line of the element, from 1; null if the file does not have it, so that its default applies."
        },
        "column": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 1,
          "description": "The column of its beginning, from 1."
        },
        "lineEnd": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 1,
          "description": "Its last line."
        },
        "columnEnd": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 1,
          "description": "The column of its end."
        },
        "attributes": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "name": {
                "type": "string",
                "description": "The name of the attribute."
              },
              "value": {
                "type": "string",
                "description": "Its value; three dots in place of a secret."
              },
              "line": {
                "type": "integer",
                "minimum": 1,
                "description": "Its line."
              },
              "column": {
                "type": "integer",
                "minimum": 1,
                "description": "Its column."
              }
            },
            "required": [
              "name",
              "value",
              "line",
              "column"
            ],
            "additionalProperties": false
          },
          "description": "The attributes that were examined."
        }
      },
      "required": [
        "file",
        "server",
        "zone",
        "element",
        "location",
        "line",
        "column",
        "lineEnd",
        "columnEnd",
        "attributes"
      ],
      "additionalProperties": false
    },
    "check": {
      "type": "object",
      "properties": {
        "text": {
          "type": "string",
          "description": "What to look at."
        },
        "command": {
          "type": [
            "string",
            "null"
          ],
          "description": "A command that shows it and changes nothing; null if there is none."
        }
      },
      "required": [
        "text",
        "command"
      ],
      "additionalProperties": false
    },
    "finding": {
      "type": "object",
      "description": "A finding of a rule.",
      "properties": {
        "rule": {
          "type": "string",
          "pattern": "^FS[0-9]{4}$",
          "description": "The ID of the rule."
        },
        "slug": {
          "type": "string",
          "description": "The short name of the rule."
        },
        "revision": {
          "type": "integer",
          "minimum": 1,
          "description": "The revision of the rule."
        },
        "verdict": {
          "type": "string",
          "description": "The name of the verdict that is true."
        },
        "severity": {
          "enum": [
            "critical",
            "error",
            "warning",
            "info"
          ],
          "description": "How bad it is."
        },
        "confidence": {
          "enum": [
            "possible",
            "likely",
            "certain"
          ],
          "description": "How sure it is."
        },
        "title": {
          "type": "string",
          "description": "What the rule is about."
        },
        "message": {
          "type": "string",
          "description": "What was found, in one sentence."
        },
        "symptoms": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "check": {
                "type": "string",
                "description": "The name of the check."
              },
              "text": {
                "type": "string",
                "description": "What it saw, in one sentence."
              },
              "count": {
                "type": "integer",
                "minimum": 0,
                "description": "How often."
              },
              "countIsAtLeast": {
                "type": "boolean",
                "description": "Whether it may have been more often: a limit was reached."
              }
            },
            "required": [
              "check",
              "text",
              "count",
              "countIsAtLeast"
            ],
            "additionalProperties": false
          },
          "description": "What users saw."
        },
        "captures": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "name": {
                "type": "string",
                "description": "The name in the rule."
              },
              "value": {
                "type": "string",
                "description": "The text in the log."
              }
            },
            "required": [
              "name",
              "value"
            ],
            "additionalProperties": false
          },
          "description": "What the rule took from the log."
        },
        "config": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/config"
          },
          "description": "The elements of web.config files that the finding rests on."
        },
        "farm": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What the farm's file says about it, in sentences."
        },
        "occurrences": {
          "type": "integer",
          "minimum": 0,
          "description": "The number of events that the finding rests on."
        },
        "occurrencesAreAtLeast": {
          "type": "boolean",
          "description": "Whether there may be more: a limit was reached."
        },
        "servers": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "The servers that wrote these events."
        },
        "firstTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The time of the first event; null if it is not known"
        },
        "lastTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The time of the last event; null if it is not known"
        },
        "evidence": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/evidence"
          },
          "description": "Some of these events, in order of time."
        },
        "decoded": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What codes and sentences in the text mean: certain."
        },
        "during": {
          "type": [
            "string",
            "null"
          ],
          "description": "What was being done, and the frame or the words that say so; null if that is not known."
        },
        "where": {
          "type": [
            "string",
            "null"
          ],
          "description": "Where it failed, a component or a frame: likely, or possible; null if the text does not say."
        },
        "mentions": {
          "type": [
            "string",
            "null"
          ],
          "description": "The component that the text mentions, with the words, if nothing says where it failed."
        },
        "needs": {
          "type": "array",
          "items": {
            "type": "string",
            "description": "Something it needs."
          },
          "description": "What the component can't work without."
        },
        "usually": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What the codes in the text mostly come from, in any farm; empty where a rule says why."
        },
        "causes": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What it may come from: possible."
        },
        "checks": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/check"
          },
          "description": "What to look at next."
        },
        "explain": {
          "type": "object",
          "description": "What the finding means.",
          "properties": {
            "what": {
              "type": "string",
              "description": "What it is."
            },
            "why": {
              "type": "string",
              "description": "Why it happens."
            },
            "impact": {
              "type": [
                "string",
                "null"
              ],
              "description": "What it does to users; null if the rule does not say."
            }
          },
          "required": [
            "what",
            "why",
            "impact"
          ],
          "additionalProperties": false
        },
        "fix": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "step": {
                "type": "string",
                "description": "What to do."
              },
              "where": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "Where."
              },
              "effect": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "What else it does."
              },
              "undo": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "How to undo it."
              }
            },
            "required": [
              "step",
              "where",
              "effect",
              "undo"
            ],
            "additionalProperties": false
          },
          "description": "What helps, in steps."
        },
        "verify": {
          "type": [
            "string",
            "null"
          ],
          "description": "How to see that it helped; null if the rule does not say."
        },
        "references": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "title": {
                "type": "string",
                "description": "What it is called."
              },
              "url": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "Where it is; null if it is not on the web."
              }
            },
            "required": [
              "title",
              "url"
            ],
            "additionalProperties": false
          },
          "description": "Sources."
        },
        "fingerprint": {
          "type": "string",
          "pattern": "^[0-9a-f]{16}$",
          "description": "The same for the same failure in any run, whatever the verdict and the log."
        },
        "baseline": {
          "enum": [
            "known",
            "new",
            null
          ],
          "description": "Whether the baseline has the finding; null without a baseline."
        },
        "usual": {
          "type": "boolean",
          "description": "Whether all kinds of rows that the finding rests on are in the file of what is normal, and no more frequent than there; below error it is then told in one line with others, and fails no run."
        },
        "filePlace": {
          "oneOf": [
            {
              "type": "null"
            },
            {
              "type": "object",
              "properties": {
                "file": {
                  "type": "string",
                  "description": "The file."
                },
                "line": {
                  "type": "integer",
                  "minimum": 1,
                  "description": "The line."
                },
                "column": {
                  "type": "integer",
                  "minimum": 1,
                  "description": "The column."
                }
              },
              "required": [
                "file",
                "line",
                "column"
              ],
              "additionalProperties": false
            }
          ],
          "description": "The place in a file of the program's own; null for findings in logs and configuration."
        }
      },
      "required": [
        "rule",
        "slug",
        "revision",
        "verdict",
        "severity",
        "confidence",
        "title",
        "message",
        "symptoms",
        "captures",
        "config",
        "farm",
        "occurrences",
        "occurrencesAreAtLeast",
        "servers",
        "firstTime",
        "lastTime",
        "evidence",
        "decoded",
        "during",
        "where",
        "mentions",
        "needs",
        "usually",
        "causes",
        "checks",
        "explain",
        "fix",
        "verify",
        "references",
        "fingerprint",
        "baseline",
        "usual",
        "filePlace"
      ],
      "additionalProperties": false
    },
    "unexplained": {
      "type": "object",
      "description": "Rows of one kind that show a problem and that no rule explains.",
      "properties": {
        "id": {
          "type": "string",
          "description": "The same for the same kind in any log."
        },
        "severity": {
          "enum": [
            "critical",
            "error",
            "warning",
            "info"
          ],
          "description": "How bad it is: a warning at most."
        },
        "headline": {
          "type": "string",
          "description": "The kind in one line."
        },
        "eventID": {
          "type": [
            "string",
            "null"
          ],
          "description": "The events' ID; null if they have none."
        },
        "level": {
          "type": [
            "string",
            "null"
          ],
          "description": "The worst level of the rows."
        },
        "template": {
          "type": "string",
          "description": "The beginning of the message, with placeholders for what differs."
        },
        "exception": {
          "type": [
            "string",
            "null"
          ],
          "description": "The full name of the innermost exception; null if there is none."
        },
        "frame": {
          "type": [
            "string",
            "null"
          ],
          "description": "The first frame of the stack that is not of the runtime; null if there is none."
        },
        "count": {
          "type": "integer",
          "minimum": 1,
          "description": "The number of rows."
        },
        "requests": {
          "type": "integer",
          "minimum": 0,
          "description": "The number of requests."
        },
        "requestsAreAtLeast": {
          "type": "boolean",
          "description": "Whether there may be more: a limit was reached."
        },
        "users": {
          "type": "integer",
          "minimum": 0,
          "description": "The number of accounts."
        },
        "usersAreAtLeast": {
          "type": "boolean",
          "description": "Whether there may be more: a limit was reached."
        },
        "addresses": {
          "type": "integer",
          "minimum": 0,
          "description": "The number of web addresses."
        },
        "addressesAreAtLeast": {
          "type": "boolean",
          "description": "Whether there may be more: a limit was reached."
        },
        "userNames": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "The most frequent accounts."
        },
        "addressNames": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "The most frequent web addresses."
        },
        "servers": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Servers, those with the most rows first."
        },
        "firstTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The time of the first row; null if it is not known"
        },
        "lastTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The time of the last row; null if it is not known"
        },
        "decoded": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What codes and sentences in the text mean: certain."
        },
        "during": {
          "type": [
            "string",
            "null"
          ],
          "description": "What was being done, and the frame or the words that say so; null if that is not known."
        },
        "where": {
          "type": [
            "string",
            "null"
          ],
          "description": "Where it failed, a component or a frame: likely, or possible; null if the text does not say."
        },
        "mentions": {
          "type": [
            "string",
            "null"
          ],
          "description": "The component that the text mentions, with the words, if nothing says where it failed."
        },
        "needs": {
          "type": "array",
          "items": {
            "type": "string",
            "description": "Something it needs."
          },
          "description": "What the component can't work without."
        },
        "usually": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What the codes in the text mostly come from, in any farm; empty where a rule says why."
        },
        "causes": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What it may come from: possible."
        },
        "checks": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/check"
          },
          "description": "What to look at next."
        },
        "changes": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "kind": {
                "type": "string",
                "description": "The kind of change. Names may be added."
              },
              "text": {
                "type": "string",
                "description": "The change in one sentence."
              }
            },
            "required": [
              "kind",
              "text"
            ],
            "additionalProperties": false
          },
          "description": "What is unusual about when and where it occurs."
        },
        "example": {
          "$ref": "#/$defs/evidence",
          "description": "The earliest of these rows."
        }
      },
      "required": [
        "id",
        "severity",
        "headline",
        "eventID",
        "level",
        "template",
        "exception",
        "frame",
        "count",
        "requests",
        "requestsAreAtLeast",
        "users",
        "usersAreAtLeast",
        "addresses",
        "addressesAreAtLeast",
        "userNames",
        "addressNames",
        "servers",
        "firstTime",
        "lastTime",
        "decoded",
        "during",
        "where",
        "mentions",
        "needs",
        "usually",
        "causes",
        "checks",
        "changes",
        "example"
      ],
      "additionalProperties": false
    },
    "change": {
      "type": "object",
      "description": "Something unusual about the log as a whole.",
      "properties": {
        "kind": {
          "type": "string",
          "description": "The kind of change: silence, flood, unended. Names may be added."
        },
        "server": {
          "type": [
            "string",
            "null"
          ],
          "description": "The server; null if it is not known."
        },
        "time": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "When it began; null if it is not known"
        },
        "text": {
          "type": "string",
          "description": "The change in one sentence."
        }
      },
      "required": [
        "kind",
        "server",
        "time",
        "text"
      ],
      "additionalProperties": false
    },
    "inputs": {
      "type": "object",
      "description": "What was examined.",
      "properties": {
        "rows": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 0,
          "description": "Rows that the rules looked at; null if no logs were given."
        },
        "logs": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/file"
          },
          "description": "The files of the logs."
        },
        "webConfigs": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "path": {
                "type": "string",
                "description": "The file."
              },
              "server": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "The server it is from."
              },
              "zone": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "The zone it is from."
              },
              "refused": {
                "oneOf": [
                  {
                    "type": "null"
                  },
                  {
                    "type": "object",
                    "properties": {
                      "reason": {
                        "type": "string",
                        "description": "Why."
                      },
                      "line": {
                        "type": [
                          "integer",
                          "null"
                        ],
                        "minimum": 1,
                        "description": "The line of the error; null if it is none of a line."
                      },
                      "column": {
                        "type": [
                          "integer",
                          "null"
                        ],
                        "minimum": 1,
                        "description": "Its column."
                      },
                      "advice": {
                        "type": [
                          "string",
                          "null"
                        ],
                        "description": "What to do."
                      }
                    },
                    "required": [
                      "reason",
                      "line",
                      "column",
                      "advice"
                    ],
                    "additionalProperties": false
                  }
                ],
                "description": "Why the file was not read; null if it was."
              }
            },
            "required": [
              "path",
              "server",
              "zone",
              "refused"
            ],
            "additionalProperties": false
          },
          "description": "The web.config files."
        },
        "notes": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Sentences for people about inputs that were passed over."
        },
        "farm": {
          "type": [
            "string",
            "null"
          ],
          "description": "The farm's file; null if none was given."
        },
        "farmNotes": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What the farm's file tells beside the rules."
        }
      },
      "required": [
        "rows",
        "logs",
        "webConfigs",
        "notes",
        "farm",
        "farmNotes"
      ],
      "additionalProperties": false
    },
    "limit": {
      "type": "object",
      "properties": {
        "limit": {
          "type": "string",
          "description": "The name of the limit. Names may be added."
        },
        "count": {
          "type": "integer",
          "minimum": 0,
          "description": "How often it was reached, or what was left out."
        },
        "maximum": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 0,
          "description": "The limit; null if there is none of its own."
        },
        "rule": {
          "type": [
            "string",
            "null"
          ],
          "description": "The rule whose findings were left out; null for other limits."
        },
        "severity": {
          "enum": [
            "critical",
            "error",
            "warning",
            "info",
            null
          ],
          "description": "The severity of those findings; null for other limits."
        }
      },
      "required": [
        "limit",
        "count",
        "maximum",
        "rule",
        "severity"
      ],
      "additionalProperties": false
    },
    "redaction": {
      "type": "object",
      "description": "What was masked.",
      "properties": {
        "applied": {
          "type": "boolean",
          "description": "Whether names and secrets were masked; false says that the report was asked to show them."
        },
        "keyed": {
          "type": "boolean",
          "description": "Whether pseudonyms are the same in every run with the same key."
        },
        "values": {
          "type": "integer",
          "minimum": 0,
          "description": "Values that were masked."
        },
        "names": {
          "type": "object",
          "description": "Names that were told apart, by what they are.",
          "properties": {
            "user": {
              "type": "integer",
              "minimum": 0,
              "description": "Users."
            },
            "domain": {
              "type": "integer",
              "minimum": 0,
              "description": "Domains."
            },
            "host": {
              "type": "integer",
              "minimum": 0,
              "description": "Hosts."
            },
            "ip": {
              "type": "integer",
              "minimum": 0,
              "description": "IP addresses."
            },
            "mac": {
              "type": "integer",
              "minimum": 0,
              "description": "MAC addresses."
            },
            "sid": {
              "type": "integer",
              "minimum": 0,
              "description": "SIDs."
            },
            "path": {
              "type": "integer",
              "minimum": 0,
              "description": "Parts of paths."
            }
          },
          "additionalProperties": false
        },
        "secrets": {
          "type": "integer",
          "minimum": 0,
          "description": "Secrets that were removed."
        },
        "queryValues": {
          "type": "integer",
          "minimum": 0,
          "description": "Values of queries that were removed."
        },
        "isAtLeast": {
          "type": "boolean",
          "description": "Whether there were more names than can be told apart."
        },
        "notLookedFor": {
          "type": "array",
          "items": {
            "type": "string",
            "description": "A kind of names."
          },
          "description": "What was not looked for."
        }
      },
      "required": [
        "applied",
        "keyed",
        "values",
        "names",
        "secrets",
        "queryValues",
        "isAtLeast",
        "notLookedFor"
      ],
      "additionalProperties": false
    }
  }
}

"""##),
        ("diagnosisRecord.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:diagnosisRecord:1",
  "title": "fastctl.diagnosisRecord/1: a line of diagnose -o ndjson; its kind tells which",
  "type": "object",
  "oneOf": [
    {
      "type": "object",
      "description": "The first record: what was examined.",
      "properties": {
        "schema": {
          "const": "fastctl.diagnosisRecord/1"
        },
        "kind": {
          "const": "run"
        },
        "tool": {
          "const": "fastctl"
        },
        "version": {
          "type": "string",
          "description": "The version of the program."
        },
        "startedAt": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$",
          "description": "When the run began, ISO 8601 in UTC, with milliseconds; null if there is none"
        },
        "host": {
          "type": [
            "string",
            "null"
          ],
          "description": "The machine; null if it is not told."
        },
        "rules": {
          "type": "integer",
          "minimum": 0,
          "description": "The number of rules."
        },
        "inputs": {
          "$ref": "#/$defs/inputs"
        },
        "redaction": {
          "oneOf": [
            {
              "type": "null"
            },
            {
              "$ref": "#/$defs/redaction"
            }
          ],
          "description": "What was masked; null if everything is shown and nobody asked for that."
        }
      },
      "required": [
        "schema",
        "kind",
        "tool",
        "version",
        "startedAt",
        "host",
        "rules",
        "inputs",
        "redaction"
      ],
      "additionalProperties": false
    },
    {
      "type": "object",
      "description": "A finding of a rule.",
      "properties": {
        "schema": {
          "const": "fastctl.diagnosisRecord/1"
        },
        "kind": {
          "const": "finding"
        },
        "rule": {
          "type": "string",
          "pattern": "^FS[0-9]{4}$",
          "description": "The ID of the rule."
        },
        "slug": {
          "type": "string",
          "description": "The short name of the rule."
        },
        "revision": {
          "type": "integer",
          "minimum": 1,
          "description": "The revision of the rule."
        },
        "verdict": {
          "type": "string",
          "description": "The name of the verdict that is true."
        },
        "severity": {
          "enum": [
            "critical",
            "error",
            "warning",
            "info"
          ],
          "description": "How bad it is."
        },
        "confidence": {
          "enum": [
            "possible",
            "likely",
            "certain"
          ],
          "description": "How sure it is."
        },
        "title": {
          "type": "string",
          "description": "What the rule is about."
        },
        "message": {
          "type": "string",
          "description": "What was found, in one sentence."
        },
        "symptoms": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "check": {
                "type": "string",
                "description": "The name of the check."
              },
              "text": {
                "type": "string",
                "description": "What it saw, in one sentence."
              },
              "count": {
                "type": "integer",
                "minimum": 0,
                "description": "How often."
              },
              "countIsAtLeast": {
                "type": "boolean",
                "description": "Whether it may have been more often: a limit was reached."
              }
            },
            "required": [
              "check",
              "text",
              "count",
              "countIsAtLeast"
            ],
            "additionalProperties": false
          },
          "description": "What users saw."
        },
        "captures": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "name": {
                "type": "string",
                "description": "The name in the rule."
              },
              "value": {
                "type": "string",
                "description": "The text in the log."
              }
            },
            "required": [
              "name",
              "value"
            ],
            "additionalProperties": false
          },
          "description": "What the rule took from the log."
        },
        "config": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/config"
          },
          "description": "The elements of web.config files that the finding rests on."
        },
        "farm": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What the farm's file says about it, in sentences."
        },
        "occurrences": {
          "type": "integer",
          "minimum": 0,
          "description": "The number of events that the finding rests on."
        },
        "occurrencesAreAtLeast": {
          "type": "boolean",
          "description": "Whether there may be more: a limit was reached."
        },
        "servers": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "The servers that wrote these events."
        },
        "firstTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The time of the first event; null if it is not known"
        },
        "lastTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The time of the last event; null if it is not known"
        },
        "evidence": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/evidence"
          },
          "description": "Some of these events, in order of time."
        },
        "decoded": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What codes and sentences in the text mean: certain."
        },
        "during": {
          "type": [
            "string",
            "null"
          ],
          "description": "What was being done, and the frame or the words that say so; null if that is not known."
        },
        "where": {
          "type": [
            "string",
            "null"
          ],
          "description": "Where it failed, a component or a frame: likely, or possible; null if the text does not say."
        },
        "mentions": {
          "type": [
            "string",
            "null"
          ],
          "description": "The component that the text mentions, with the words, if nothing says where it failed."
        },
        "needs": {
          "type": "array",
          "items": {
            "type": "string",
            "description": "Something it needs."
          },
          "description": "What the component can't work without."
        },
        "usually": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What the codes in the text mostly come from, in any farm; empty where a rule says why."
        },
        "causes": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What it may come from: possible."
        },
        "checks": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/check"
          },
          "description": "What to look at next."
        },
        "explain": {
          "type": "object",
          "description": "What the finding means.",
          "properties": {
            "what": {
              "type": "string",
              "description": "What it is."
            },
            "why": {
              "type": "string",
              "description": "Why it happens."
            },
            "impact": {
              "type": [
                "string",
                "null"
              ],
              "description": "What it does to users; null if the rule does not say."
            }
          },
          "required": [
            "what",
            "why",
            "impact"
          ],
          "additionalProperties": false
        },
        "fix": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "step": {
                "type": "string",
                "description": "What to do."
              },
              "where": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "Where."
              },
              "effect": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "What else it does."
              },
              "undo": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "How to undo it."
              }
            },
            "required": [
              "step",
              "where",
              "effect",
              "undo"
            ],
            "additionalProperties": false
          },
          "description": "What helps, in steps."
        },
        "verify": {
          "type": [
            "string",
            "null"
          ],
          "description": "How to see that it helped; null if the rule does not say."
        },
        "references": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "title": {
                "type": "string",
                "description": "What it is called."
              },
              "url": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "Where it is; null if it is not on the web."
              }
            },
            "required": [
              "title",
              "url"
            ],
            "additionalProperties": false
          },
          "description": "Sources."
        },
        "fingerprint": {
          "type": "string",
          "pattern": "^[0-9a-f]{16}$",
          "description": "The same for the same failure in any run, whatever the verdict and the log."
        },
        "baseline": {
          "enum": [
            "known",
            "new",
            null
          ],
          "description": "Whether the baseline has the finding; null without a baseline."
        },
        "usual": {
          "type": "boolean",
          "description": "Whether all kinds of rows that the finding rests on are in the file of what is normal, and no more frequent than there; below error it is then told in one line with others, and fails no run."
        },
        "undecided": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Verdicts that the input does not decide."
        },
        "filePlace": {
          "oneOf": [
            {
              "type": "null"
            },
            {
              "type": "object",
              "properties": {
                "file": {
                  "type": "string",
                  "description": "The file."
                },
                "line": {
                  "type": "integer",
                  "minimum": 1,
                  "description": "The line."
                },
                "column": {
                  "type": "integer",
                  "minimum": 1,
                  "description": "The column."
                }
              },
              "required": [
                "file",
                "line",
                "column"
              ],
              "additionalProperties": false
            }
          ],
          "description": "The place in a file of the program's own; null for findings in logs and configuration."
        }
      },
      "required": [
        "schema",
        "kind",
        "rule",
        "slug",
        "revision",
        "verdict",
        "severity",
        "confidence",
        "title",
        "message",
        "symptoms",
        "captures",
        "config",
        "farm",
        "occurrences",
        "occurrencesAreAtLeast",
        "servers",
        "firstTime",
        "lastTime",
        "evidence",
        "decoded",
        "during",
        "where",
        "mentions",
        "needs",
        "usually",
        "causes",
        "checks",
        "explain",
        "fix",
        "verify",
        "references",
        "fingerprint",
        "baseline",
        "usual",
        "undecided",
        "filePlace"
      ],
      "additionalProperties": false
    },
    {
      "type": "object",
      "description": "What became of a rule.",
      "properties": {
        "schema": {
          "const": "fastctl.diagnosisRecord/1"
        },
        "kind": {
          "const": "ruleResult"
        },
        "rule": {
          "type": "string",
          "pattern": "^FS[0-9]{4}$",
          "description": "The ID of the rule."
        },
        "slug": {
          "type": "string",
          "description": "The short name of the rule."
        },
        "title": {
          "type": "string",
          "description": "What the rule is about."
        },
        "result": {
          "enum": [
            "passed",
            "notEvaluated",
            "found",
            "known",
            "suppressed"
          ],
          "description": "What became of the rule."
        },
        "reason": {
          "type": [
            "string",
            "null"
          ],
          "description": "Why it was not evaluated; null if it was."
        },
        "findings": {
          "type": "integer",
          "minimum": 0,
          "description": "The number of its findings."
        }
      },
      "required": [
        "schema",
        "kind",
        "rule",
        "slug",
        "title",
        "result",
        "reason",
        "findings"
      ],
      "additionalProperties": false
    },
    {
      "type": "object",
      "description": "Rows of one kind that show a problem and that no rule explains.",
      "properties": {
        "schema": {
          "const": "fastctl.diagnosisRecord/1"
        },
        "kind": {
          "const": "unexplained"
        },
        "id": {
          "type": "string",
          "description": "The same for the same kind in any log."
        },
        "severity": {
          "enum": [
            "critical",
            "error",
            "warning",
            "info"
          ],
          "description": "How bad it is: a warning at most."
        },
        "headline": {
          "type": "string",
          "description": "The kind in one line."
        },
        "eventID": {
          "type": [
            "string",
            "null"
          ],
          "description": "The events' ID; null if they have none."
        },
        "level": {
          "type": [
            "string",
            "null"
          ],
          "description": "The worst level of the rows."
        },
        "template": {
          "type": "string",
          "description": "The beginning of the message, with placeholders for what differs."
        },
        "exception": {
          "type": [
            "string",
            "null"
          ],
          "description": "The full name of the innermost exception; null if there is none."
        },
        "frame": {
          "type": [
            "string",
            "null"
          ],
          "description": "The first frame of the stack that is not of the runtime; null if there is none."
        },
        "count": {
          "type": "integer",
          "minimum": 1,
          "description": "The number of rows."
        },
        "requests": {
          "type": "integer",
          "minimum": 0,
          "description": "The number of requests."
        },
        "requestsAreAtLeast": {
          "type": "boolean",
          "description": "Whether there may be more: a limit was reached."
        },
        "users": {
          "type": "integer",
          "minimum": 0,
          "description": "The number of accounts."
        },
        "usersAreAtLeast": {
          "type": "boolean",
          "description": "Whether there may be more: a limit was reached."
        },
        "addresses": {
          "type": "integer",
          "minimum": 0,
          "description": "The number of web addresses."
        },
        "addressesAreAtLeast": {
          "type": "boolean",
          "description": "Whether there may be more: a limit was reached."
        },
        "userNames": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "The most frequent accounts."
        },
        "addressNames": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "The most frequent web addresses."
        },
        "servers": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Servers, those with the most rows first."
        },
        "firstTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The time of the first row; null if it is not known"
        },
        "lastTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The time of the last row; null if it is not known"
        },
        "decoded": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What codes and sentences in the text mean: certain."
        },
        "during": {
          "type": [
            "string",
            "null"
          ],
          "description": "What was being done, and the frame or the words that say so; null if that is not known."
        },
        "where": {
          "type": [
            "string",
            "null"
          ],
          "description": "Where it failed, a component or a frame: likely, or possible; null if the text does not say."
        },
        "mentions": {
          "type": [
            "string",
            "null"
          ],
          "description": "The component that the text mentions, with the words, if nothing says where it failed."
        },
        "needs": {
          "type": "array",
          "items": {
            "type": "string",
            "description": "Something it needs."
          },
          "description": "What the component can't work without."
        },
        "usually": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What the codes in the text mostly come from, in any farm; empty where a rule says why."
        },
        "causes": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What it may come from: possible."
        },
        "checks": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/check"
          },
          "description": "What to look at next."
        },
        "changes": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "kind": {
                "type": "string",
                "description": "The kind of change. Names may be added."
              },
              "text": {
                "type": "string",
                "description": "The change in one sentence."
              }
            },
            "required": [
              "kind",
              "text"
            ],
            "additionalProperties": false
          },
          "description": "What is unusual about when and where it occurs."
        },
        "example": {
          "$ref": "#/$defs/evidence",
          "description": "The earliest of these rows."
        }
      },
      "required": [
        "schema",
        "kind",
        "id",
        "severity",
        "headline",
        "eventID",
        "level",
        "template",
        "exception",
        "frame",
        "count",
        "requests",
        "requestsAreAtLeast",
        "users",
        "usersAreAtLeast",
        "addresses",
        "addressesAreAtLeast",
        "userNames",
        "addressNames",
        "servers",
        "firstTime",
        "lastTime",
        "decoded",
        "during",
        "where",
        "mentions",
        "needs",
        "usually",
        "causes",
        "checks",
        "changes",
        "example"
      ],
      "additionalProperties": false
    },
    {
      "type": "object",
      "description": "Something unusual about the log as a whole.",
      "properties": {
        "schema": {
          "const": "fastctl.diagnosisRecord/1"
        },
        "kind": {
          "const": "change"
        },
        "change": {
          "type": "string",
          "description": "The kind of change: silence, flood, unended. Names may be added."
        },
        "server": {
          "type": [
            "string",
            "null"
          ],
          "description": "The server; null if it is not known."
        },
        "time": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "When it began; null if it is not known"
        },
        "text": {
          "type": "string",
          "description": "The change in one sentence."
        }
      },
      "required": [
        "schema",
        "kind",
        "change",
        "server",
        "time",
        "text"
      ],
      "additionalProperties": false
    },
    {
      "type": "object",
      "description": "The last record.",
      "properties": {
        "schema": {
          "const": "fastctl.diagnosisRecord/1"
        },
        "kind": {
          "const": "summary"
        },
        "findings": {
          "type": "integer",
          "minimum": 0,
          "description": "The number of findings."
        },
        "severities": {
          "type": "object",
          "properties": {
            "critical": {
              "type": "integer",
              "minimum": 0,
              "description": "Findings of severity critical."
            },
            "error": {
              "type": "integer",
              "minimum": 0,
              "description": "Findings of severity error."
            },
            "warning": {
              "type": "integer",
              "minimum": 0,
              "description": "Findings of severity warning."
            },
            "info": {
              "type": "integer",
              "minimum": 0,
              "description": "Findings of severity info."
            }
          },
          "required": [
            "critical",
            "error",
            "warning",
            "info"
          ],
          "additionalProperties": false
        },
        "passed": {
          "type": "integer",
          "minimum": 0,
          "description": "Rules that found nothing."
        },
        "notEvaluated": {
          "type": "integer",
          "minimum": 0,
          "description": "Rules that could not be evaluated."
        },
        "unexplainedEvents": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows that show a problem and that no rule explains."
        },
        "unexplainedKinds": {
          "type": "integer",
          "minimum": 0,
          "description": "Kinds of such rows."
        },
        "unexplainedFollowing": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows among them that belong to none of the kinds: they only follow one in the same requests."
        },
        "unexplainedIsAtLeast": {
          "type": "boolean",
          "description": "Whether there may be more unexplained rows: a limit was reached."
        },
        "normalRows": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows of kinds that are normal."
        },
        "normalKinds": {
          "type": "integer",
          "minimum": 0,
          "description": "Kinds of rows that are normal."
        },
        "findingsAreAtLeast": {
          "type": "boolean",
          "description": "Whether there may be more findings: a limit was reached."
        },
        "quality": {
          "oneOf": [
            {
              "type": "null"
            },
            {
              "$ref": "#/$defs/quality"
            }
          ],
          "description": "How well the logs were read; null if no logs were given."
        },
        "limits": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/limit"
          },
          "description": "Limits that were reached, and what was left out."
        },
        "exitCode": {
          "type": "integer",
          "minimum": 0,
          "description": "The exit code of the command."
        },
        "seconds": {
          "type": "number",
          "minimum": 0,
          "description": "How long the run took, in seconds."
        },
        "known": {
          "type": "integer",
          "minimum": 0,
          "description": "Findings that the baseline has."
        },
        "usual": {
          "type": "integer",
          "minimum": 0,
          "description": "Findings that are as usual, and not told for that."
        },
        "suppressed": {
          "type": "integer",
          "minimum": 0,
          "description": "Findings and kinds of rows that suppressions hide."
        },
        "suppressions": {
          "type": [
            "string",
            "null"
          ],
          "description": "The file of suppressions; null without one."
        },
        "gone": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "rule": {
                "type": "string",
                "description": "The rule's ID."
              },
              "title": {
                "type": "string",
                "description": "Its title."
              },
              "severity": {
                "enum": [
                  "critical",
                  "error",
                  "warning",
                  "info"
                ],
                "description": "The severity."
              },
              "fingerprint": {
                "type": "string",
                "description": "What tells the finding from others of its rule."
              }
            },
            "required": [
              "rule",
              "title",
              "severity",
              "fingerprint"
            ],
            "additionalProperties": false
          },
          "description": "Findings of the baseline that are gone."
        },
        "knownNotLookedFor": {
          "type": "integer",
          "minimum": 0,
          "description": "Findings of the baseline that this run could not have seen."
        }
      },
      "required": [
        "schema",
        "kind",
        "findings",
        "severities",
        "passed",
        "notEvaluated",
        "unexplainedEvents",
        "unexplainedKinds",
        "unexplainedFollowing",
        "unexplainedIsAtLeast",
        "normalRows",
        "normalKinds",
        "findingsAreAtLeast",
        "quality",
        "limits",
        "exitCode",
        "seconds",
        "known",
        "usual",
        "suppressed",
        "suppressions",
        "gone",
        "knownNotLookedFor"
      ],
      "additionalProperties": false
    },
    {
      "type": "object",
      "description": "A finding, or a kind of rows, that a suppression hides.",
      "properties": {
        "schema": {
          "const": "fastctl.diagnosisRecord/1"
        },
        "kind": {
          "const": "suppressed"
        },
        "finding": {
          "oneOf": [
            {
              "type": "null"
            },
            {
              "type": "object",
              "description": "A finding of a rule.",
              "properties": {
                "rule": {
                  "type": "string",
                  "pattern": "^FS[0-9]{4}$",
                  "description": "The ID of the rule."
                },
                "slug": {
                  "type": "string",
                  "description": "The short name of the rule."
                },
                "revision": {
                  "type": "integer",
                  "minimum": 1,
                  "description": "The revision of the rule."
                },
                "verdict": {
                  "type": "string",
                  "description": "The name of the verdict that is true."
                },
                "severity": {
                  "enum": [
                    "critical",
                    "error",
                    "warning",
                    "info"
                  ],
                  "description": "How bad it is."
                },
                "confidence": {
                  "enum": [
                    "possible",
                    "likely",
                    "certain"
                  ],
                  "description": "How sure it is."
                },
                "title": {
                  "type": "string",
                  "description": "What the rule is about."
                },
                "message": {
                  "type": "string",
                  "description": "What was found, in one sentence."
                },
                "symptoms": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "properties": {
                      "check": {
                        "type": "string",
                        "description": "The name of the check."
                      },
                      "text": {
                        "type": "string",
                        "description": "What it saw, in one sentence."
                      },
                      "count": {
                        "type": "integer",
                        "minimum": 0,
                        "description": "How often."
                      },
                      "countIsAtLeast": {
                        "type": "boolean",
                        "description": "Whether it may have been more often: a limit was reached."
                      }
                    },
                    "required": [
                      "check",
                      "text",
                      "count",
                      "countIsAtLeast"
                    ],
                    "additionalProperties": false
                  },
                  "description": "What users saw."
                },
                "captures": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "properties": {
                      "name": {
                        "type": "string",
                        "description": "The name in the rule."
                      },
                      "value": {
                        "type": "string",
                        "description": "The text in the log."
                      }
                    },
                    "required": [
                      "name",
                      "value"
                    ],
                    "additionalProperties": false
                  },
                  "description": "What the rule took from the log."
                },
                "config": {
                  "type": "array",
                  "items": {
                    "$ref": "#/$defs/config"
                  },
                  "description": "The elements of web.config files that the finding rests on."
                },
                "farm": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  },
                  "description": "What the farm's file says about it, in sentences."
                },
                "occurrences": {
                  "type": "integer",
                  "minimum": 0,
                  "description": "The number of events that the finding rests on."
                },
                "occurrencesAreAtLeast": {
                  "type": "boolean",
                  "description": "Whether there may be more: a limit was reached."
                },
                "servers": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  },
                  "description": "The servers that wrote these events."
                },
                "firstTime": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
                  "description": "The time of the first event; null if it is not known"
                },
                "lastTime": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
                  "description": "The time of the last event; null if it is not known"
                },
                "evidence": {
                  "type": "array",
                  "items": {
                    "$ref": "#/$defs/evidence"
                  },
                  "description": "Some of these events, in order of time."
                },
                "decoded": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  },
                  "description": "What codes and sentences in the text mean: certain."
                },
                "during": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "description": "What was being done, and the frame or the words that say so; null if that is not known."
                },
                "where": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "description": "The component that the text comes from: likely; null if it does not say."
                },
                "needs": {
                  "type": "array",
                  "items": {
                    "type": "string",
                    "description": "Something it needs."
                  },
                  "description": "What the component can't work without."
                },
                "usually": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  },
                  "description": "What the codes in the text mostly come from, in any farm; empty where a rule says why."
                },
                "causes": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  },
                  "description": "What it may come from: possible."
                },
                "checks": {
                  "type": "array",
                  "items": {
                    "$ref": "#/$defs/check"
                  },
                  "description": "What to look at next."
                },
                "explain": {
                  "type": "object",
                  "description": "What the finding means.",
                  "properties": {
                    "what": {
                      "type": "string",
                      "description": "What it is."
                    },
                    "why": {
                      "type": "string",
                      "description": "Why it happens."
                    },
                    "impact": {
                      "type": [
                        "string",
                        "null"
                      ],
                      "description": "What it does to users; null if the rule does not say."
                    }
                  },
                  "required": [
                    "what",
                    "why",
                    "impact"
                  ],
                  "additionalProperties": false
                },
                "fix": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "properties": {
                      "step": {
                        "type": "string",
                        "description": "What to do."
                      },
                      "where": {
                        "type": [
                          "string",
                          "null"
                        ],
                        "description": "Where."
                      },
                      "effect": {
                        "type": [
                          "string",
                          "null"
                        ],
                        "description": "What else it does."
                      },
                      "undo": {
                        "type": [
                          "string",
                          "null"
                        ],
                        "description": "How to undo it."
                      }
                    },
                    "required": [
                      "step",
                      "where",
                      "effect",
                      "undo"
                    ],
                    "additionalProperties": false
                  },
                  "description": "What helps, in steps."
                },
                "verify": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "description": "How to see that it helped; null if the rule does not say."
                },
                "references": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "properties": {
                      "title": {
                        "type": "string",
                        "description": "What it is called."
                      },
                      "url": {
                        "type": [
                          "string",
                          "null"
                        ],
                        "description": "Where it is; null if it is not on the web."
                      }
                    },
                    "required": [
                      "title",
                      "url"
                    ],
                    "additionalProperties": false
                  },
                  "description": "Sources."
                },
                "fingerprint": {
                  "type": "string",
                  "pattern": "^[0-9a-f]{16}$",
                  "description": "The same for the same failure in any run, whatever the verdict and the log."
                },
                "baseline": {
                  "enum": [
                    "known",
                    "new",
                    null
                  ],
                  "description": "Whether the baseline has the finding; null without a baseline."
                },
                "usual": {
                  "type": "boolean",
                  "description": "Whether all kinds of rows that the finding rests on are in the file of what is normal, and no more frequent than there; below error it is then told in one line with others, and fails no run."
                },
                "undecided": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  },
                  "description": "Verdicts that the input does not decide."
                },
                "filePlace": {
                  "oneOf": [
                    {
                      "type": "null"
                    },
                    {
                      "type": "object",
                      "properties": {
                        "file": {
                          "type": "string",
                          "description": "The file."
                        },
                        "line": {
                          "type": "integer",
                          "minimum": 1,
                          "description": "The line."
                        },
                        "column": {
                          "type": "integer",
                          "minimum": 1,
                          "description": "The column."
                        }
                      },
                      "required": [
                        "file",
                        "line",
                        "column"
                      ],
                      "additionalProperties": false
                    }
                  ],
                  "description": "The place in a file of the program's own; null for findings in logs and configuration."
                }
              },
              "required": [
                "rule",
                "slug",
                "revision",
                "verdict",
                "severity",
                "confidence",
                "title",
                "message",
                "symptoms",
                "captures",
                "config",
                "farm",
                "occurrences",
                "occurrencesAreAtLeast",
                "servers",
                "firstTime",
                "lastTime",
                "evidence",
                "decoded",
                "during",
                "where",
                "needs",
                "usually",
                "causes",
                "checks",
                "explain",
                "fix",
                "verify",
                "references",
                "fingerprint",
                "baseline",
                "usual",
                "undecided",
                "filePlace"
              ],
              "additionalProperties": false
            }
          ],
          "description": "The finding; null if it is a kind of rows."
        },
        "unexplained": {
          "oneOf": [
            {
              "type": "null"
            },
            {
              "type": "object",
              "description": "Rows of one kind that show a problem and that no rule explains.",
              "properties": {
                "id": {
                  "type": "string",
                  "description": "The same for the same kind in any log."
                },
                "severity": {
                  "enum": [
                    "critical",
                    "error",
                    "warning",
                    "info"
                  ],
                  "description": "How bad it is: a warning at most."
                },
                "headline": {
                  "type": "string",
                  "description": "The kind in one line."
                },
                "eventID": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "description": "The events' ID; null if they have none."
                },
                "level": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "description": "The worst level of the rows."
                },
                "template": {
                  "type": "string",
                  "description": "The beginning of the message, with placeholders for what differs."
                },
                "exception": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "description": "The full name of the innermost exception; null if there is none."
                },
                "frame": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "description": "The first frame of the stack that is not of the runtime; null if there is none."
                },
                "count": {
                  "type": "integer",
                  "minimum": 1,
                  "description": "The number of rows."
                },
                "requests": {
                  "type": "integer",
                  "minimum": 0,
                  "description": "The number of requests."
                },
                "requestsAreAtLeast": {
                  "type": "boolean",
                  "description": "Whether there may be more: a limit was reached."
                },
                "users": {
                  "type": "integer",
                  "minimum": 0,
                  "description": "The number of accounts."
                },
                "usersAreAtLeast": {
                  "type": "boolean",
                  "description": "Whether there may be more: a limit was reached."
                },
                "addresses": {
                  "type": "integer",
                  "minimum": 0,
                  "description": "The number of web addresses."
                },
                "addressesAreAtLeast": {
                  "type": "boolean",
                  "description": "Whether there may be more: a limit was reached."
                },
                "userNames": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  },
                  "description": "The most frequent accounts."
                },
                "addressNames": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  },
                  "description": "The most frequent web addresses."
                },
                "servers": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  },
                  "description": "Servers, those with the most rows first."
                },
                "firstTime": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
                  "description": "The time of the first row; null if it is not known"
                },
                "lastTime": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
                  "description": "The time of the last row; null if it is not known"
                },
                "decoded": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  },
                  "description": "What codes and sentences in the text mean: certain."
                },
                "during": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "description": "What was being done, and the frame or the words that say so; null if that is not known."
                },
                "where": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "description": "The component that the text comes from: likely; null if it does not say."
                },
                "needs": {
                  "type": "array",
                  "items": {
                    "type": "string",
                    "description": "Something it needs."
                  },
                  "description": "What the component can't work without."
                },
                "usually": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  },
                  "description": "What the codes in the text mostly come from, in any farm; empty where a rule says why."
                },
                "causes": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  },
                  "description": "What it may come from: possible."
                },
                "checks": {
                  "type": "array",
                  "items": {
                    "$ref": "#/$defs/check"
                  },
                  "description": "What to look at next."
                },
                "changes": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "properties": {
                      "kind": {
                        "type": "string",
                        "description": "The kind of change. Names may be added."
                      },
                      "text": {
                        "type": "string",
                        "description": "The change in one sentence."
                      }
                    },
                    "required": [
                      "kind",
                      "text"
                    ],
                    "additionalProperties": false
                  },
                  "description": "What is unusual about when and where it occurs."
                },
                "example": {
                  "$ref": "#/$defs/evidence",
                  "description": "The earliest of these rows."
                }
              },
              "required": [
                "id",
                "severity",
                "headline",
                "eventID",
                "level",
                "template",
                "exception",
                "frame",
                "count",
                "requests",
                "requestsAreAtLeast",
                "users",
                "usersAreAtLeast",
                "addresses",
                "addressesAreAtLeast",
                "userNames",
                "addressNames",
                "servers",
                "firstTime",
                "lastTime",
                "decoded",
                "during",
                "where",
                "needs",
                "usually",
                "causes",
                "checks",
                "changes",
                "example"
              ],
              "additionalProperties": false
            }
          ],
          "description": "The kind of unexplained rows; null if it is a finding."
        },
        "suppression": {
          "type": "object",
          "description": "The suppression.",
          "properties": {
            "file": {
              "type": "string",
              "description": "The file that says it."
            },
            "line": {
              "type": "integer",
              "minimum": 1,
              "description": "The line where it begins."
            },
            "reason": {
              "type": "string",
              "description": "Why it is hidden."
            },
            "owner": {
              "type": [
                "string",
                "null"
              ],
              "description": "Who answers for it; null if nobody is named."
            },
            "until": {
              "type": [
                "string",
                "null"
              ],
              "description": "The last day on which it holds; null if there is none."
            }
          },
          "required": [
            "file",
            "line",
            "reason",
            "owner",
            "until"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "schema",
        "kind",
        "finding",
        "unexplained",
        "suppression"
      ],
      "additionalProperties": false
    }
  ],
  "$defs": {
    "quality": {
      "type": "object",
      "description": "How well the logs were read.",
      "properties": {
        "lines": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines that were read."
        },
        "records": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows, parts of split messages included."
        },
        "parts": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows that continue a split message."
        },
        "continuations": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines that continue the row before them."
        },
        "headers": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines with the titles of columns."
        },
        "blank": {
          "type": "integer",
          "minimum": 0,
          "description": "Blank lines."
        },
        "notUnderstood": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines that belong to no event."
        },
        "orphans": {
          "type": "integer",
          "minimum": 0,
          "description": "Messages that begin before what was read."
        },
        "clockSteps": {
          "type": "integer",
          "minimum": 0,
          "description": "Times that a server's clock was set back."
        },
        "inferred": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows without columns, whose fields were inferred."
        },
        "limits": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "limit": {
                "type": "string",
                "description": "The name of the limit. Names may be added."
              },
              "count": {
                "type": "integer",
                "minimum": 0,
                "description": "How often it was reached."
              },
              "maximum": {
                "type": "integer",
                "minimum": 0,
                "description": "The limit."
              }
            },
            "required": [
              "limit",
              "count",
              "maximum"
            ],
            "additionalProperties": false
          },
          "description": "Limits that were reached; numbers may then be bounds."
        }
      },
      "required": [
        "lines",
        "records",
        "parts",
        "continuations",
        "headers",
        "blank",
        "notUnderstood",
        "orphans",
        "clockSteps",
        "inferred",
        "limits"
      ],
      "additionalProperties": false
    },
    "file": {
      "type": "object",
      "description": "One file of the logs.",
      "properties": {
        "name": {
          "type": "string",
          "description": "The file, as it was named or found."
        },
        "server": {
          "type": [
            "string",
            "null"
          ],
          "description": "The server, from the file's name; null if it does not say."
        },
        "bytes": {
          "type": "integer",
          "minimum": 0,
          "description": "Bytes that were read."
        },
        "records": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows in it that were selected."
        },
        "firstTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The earliest time in it; null if it is not known"
        },
        "lastTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The latest time in it; null if it is not known"
        },
        "skipped": {
          "type": "boolean",
          "description": "Whether it was not opened, because by its name it lies outside the window."
        },
        "unreadBytes": {
          "type": "integer",
          "minimum": 0,
          "description": "Bytes that were not read, because by samples they lie outside the window."
        },
        "incomplete": {
          "type": "boolean",
          "description": "Whether it was not read to its end."
        },
        "notes": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Sentences for people about how it was read."
        }
      },
      "required": [
        "name",
        "server",
        "bytes",
        "records",
        "firstTime",
        "lastTime",
        "skipped",
        "unreadBytes",
        "incomplete",
        "notes"
      ],
      "additionalProperties": false
    },
    "evidence": {
      "type": "object",
      "description": "An event, and where it stands.",
      "properties": {
        "file": {
          "type": "string",
          "description": "The file, as it was named or found."
        },
        "line": {
          "type": "integer",
          "minimum": 1,
          "description": "The first line, from 1."
        },
        "lineEnd": {
          "type": "integer",
          "minimum": 1,
          "description": "The last line."
        },
        "time": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The event's time; null if it is not known"
        },
        "server": {
          "type": [
            "string",
            "null"
          ],
          "description": "The event's server; null if it is not known."
        },
        "eventID": {
          "type": [
            "string",
            "null"
          ],
          "description": "The event's ID; null if it has none."
        },
        "correlation": {
          "type": [
            "string",
            "null"
          ],
          "description": "The request's correlation, in lowercase; null if there is none."
        },
        "text": {
          "type": "string",
          "description": "The message, or its beginning."
        },
        "truncated": {
          "type": "boolean",
          "description": "Whether the message is longer."
        }
      },
      "required": [
        "file",
        "line",
        "lineEnd",
        "time",
        "server",
        "eventID",
        "correlation",
        "text",
        "truncated"
      ],
      "additionalProperties": false
    },
    "config": {
      "type": "object",
      "description": "An element of a web.config.",
      "properties": {
        "file": {
          "type": "string",
          "description": "The web.config file."
        },
        "server": {
          "type": [
            "string",
            "null"
          ],
          "description": "The server it is from, as given on the command line."
        },
        "zone": {
          "type": [
            "string",
            "null"
          ],
          "description": "The zone it is from, as given on the command line."
        },
        "element": {
          "type": "string",
          "description": "The element's path: system.web/trace."
        },
        "location": {
          "type": [
            "string",
            "null"
          ],
          "description": "The path of the <location> around the element; null if there is none."
        },
        "line": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 1,
          "description": "The first line of the element, from 1; null if the file does not have it, so that its default applies."
        },
        "column": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 1,
          "description": "The column of its beginning, from 1."
        },
        "lineEnd": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 1,
          "description": "Its last line."
        },
        "columnEnd": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 1,
          "description": "The column of its end."
        },
        "attributes": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "name": {
                "type": "string",
                "description": "The name of the attribute."
              },
              "value": {
                "type": "string",
                "description": "Its value; three dots in place of a secret."
              },
              "line": {
                "type": "integer",
                "minimum": 1,
                "description": "Its line."
              },
              "column": {
                "type": "integer",
                "minimum": 1,
                "description": "Its column."
              }
            },
            "required": [
              "name",
              "value",
              "line",
              "column"
            ],
            "additionalProperties": false
          },
          "description": "The attributes that were examined."
        }
      },
      "required": [
        "file",
        "server",
        "zone",
        "element",
        "location",
        "line",
        "column",
        "lineEnd",
        "columnEnd",
        "attributes"
      ],
      "additionalProperties": false
    },
    "check": {
      "type": "object",
      "properties": {
        "text": {
          "type": "string",
          "description": "What to look at."
        },
        "command": {
          "type": [
            "string",
            "null"
          ],
          "description": "A command that shows it and changes nothing; null if there is none."
        }
      },
      "required": [
        "text",
        "command"
      ],
      "additionalProperties": false
    },
    "inputs": {
      "type": "object",
      "description": "What was examined.",
      "properties": {
        "rows": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 0,
          "description": "Rows that the rules looked at; null if no logs were given."
        },
        "logs": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/file"
          },
          "description": "The files of the logs."
        },
        "webConfigs": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "path": {
                "type": "string",
                "description": "The file."
              },
              "server": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "The server it is from."
              },
              "zone": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "The zone it is from."
              },
              "refused": {
                "oneOf": [
                  {
                    "type": "null"
                  },
                  {
                    "type": "object",
                    "properties": {
                      "reason": {
                        "type": "string",
                        "description": "Why."
                      },
                      "line": {
                        "type": [
                          "integer",
                          "null"
                        ],
                        "minimum": 1,
                        "description": "The line of the error; null if it is none of a line."
                      },
                      "column": {
                        "type": [
                          "integer",
                          "null"
                        ],
                        "minimum": 1,
                        "description": "Its column."
                      },
                      "advice": {
                        "type": [
                          "string",
                          "null"
                        ],
                        "description": "What to do."
                      }
                    },
                    "required": [
                      "reason",
                      "line",
                      "column",
                      "advice"
                    ],
                    "additionalProperties": false
                  }
                ],
                "description": "Why the file was not read; null if it was."
              }
            },
            "required": [
              "path",
              "server",
              "zone",
              "refused"
            ],
            "additionalProperties": false
          },
          "description": "The web.config files."
        },
        "notes": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Sentences for people about inputs that were passed over."
        },
        "farm": {
          "type": [
            "string",
            "null"
          ],
          "description": "The farm's file; null if none was given."
        },
        "farmNotes": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What the farm's file tells beside the rules."
        }
      },
      "required": [
        "rows",
        "logs",
        "webConfigs",
        "notes",
        "farm",
        "farmNotes"
      ],
      "additionalProperties": false
    },
    "limit": {
      "type": "object",
      "properties": {
        "limit": {
          "type": "string",
          "description": "The name of the limit. Names may be added."
        },
        "count": {
          "type": "integer",
          "minimum": 0,
          "description": "How often it was reached, or what was left out."
        },
        "maximum": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 0,
          "description": "The limit; null if there is none of its own."
        },
        "rule": {
          "type": [
            "string",
            "null"
          ],
          "description": "The rule whose findings were left out; null for other limits."
        },
        "severity": {
          "enum": [
            "critical",
            "error",
            "warning",
            "info",
            null
          ],
          "description": "The severity of those findings; null for other limits."
        }
      },
      "required": [
        "limit",
        "count",
        "maximum",
        "rule",
        "severity"
      ],
      "additionalProperties": false
    },
    "redaction": {
      "type": "object",
      "description": "What was masked.",
      "properties": {
        "applied": {
          "type": "boolean",
          "description": "Whether names and secrets were masked; false says that the report was asked to show them."
        },
        "keyed": {
          "type": "boolean",
          "description": "Whether pseudonyms are the same in every run with the same key."
        },
        "values": {
          "type": "integer",
          "minimum": 0,
          "description": "Values that were masked."
        },
        "names": {
          "type": "object",
          "description": "Names that were told apart, by what they are.",
          "properties": {
            "user": {
              "type": "integer",
              "minimum": 0,
              "description": "Users."
            },
            "domain": {
              "type": "integer",
              "minimum": 0,
              "description": "Domains."
            },
            "host": {
              "type": "integer",
              "minimum": 0,
              "description": "Hosts."
            },
            "ip": {
              "type": "integer",
              "minimum": 0,
              "description": "IP addresses."
            },
            "mac": {
              "type": "integer",
              "minimum": 0,
              "description": "MAC addresses."
            },
            "sid": {
              "type": "integer",
              "minimum": 0,
              "description": "SIDs."
            },
            "path": {
              "type": "integer",
              "minimum": 0,
              "description": "Parts of paths."
            }
          },
          "additionalProperties": false
        },
        "secrets": {
          "type": "integer",
          "minimum": 0,
          "description": "Secrets that were removed."
        },
        "queryValues": {
          "type": "integer",
          "minimum": 0,
          "description": "Values of queries that were removed."
        },
        "isAtLeast": {
          "type": "boolean",
          "description": "Whether there were more names than can be told apart."
        },
        "notLookedFor": {
          "type": "array",
          "items": {
            "type": "string",
            "description": "A kind of names."
          },
          "description": "What was not looked for."
        }
      },
      "required": [
        "applied",
        "keyed",
        "values",
        "names",
        "secrets",
        "queryValues",
        "isAtLeast",
        "notLookedFor"
      ],
      "additionalProperties": false
    }
  }
}

"""##),
        ("difference.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:difference:1",
  "title": "fastctl.difference/1: a document in which a collection differs from its source, by reconcile -o ndjson",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.difference/1"
    },
    "collection": {
      "type": "string",
      "description": "The collection."
    },
    "difference": {
      "enum": [
        "missing",
        "stale",
        "orphaned",
        "duplicate"
      ],
      "description": "What is different: missing is only in the source, stale in both and not the same, orphaned only in the collection, duplicate more than once on one side."
    },
    "documentID": {
      "type": "string",
      "description": "The ID of the document."
    }
  },
  "required": [
    "schema",
    "collection",
    "difference",
    "documentID"
  ],
  "additionalProperties": false
}

"""##),
        ("document.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:document:1",
  "title": "fastctl.document/1: a document, by get, find and --backup; add restores it",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.document/1"
    },
    "id": {
      "type": "string",
      "description": "The ID."
    },
    "collection": {
      "type": "string",
      "description": "The collection."
    },
    "version": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "Its version in the collection; null if the engine has none."
    },
    "routing": {
      "type": [
        "string",
        "null"
      ],
      "description": "The routing that the engine needs beside the ID; null if there is none."
    },
    "left": {
      "type": [
        "string",
        "null"
      ],
      "pattern": "^(none|[0-9a-f]{32})$",
      "description": "Only in a backup: the digest of what the job left of the document, none if it removed it; null if that can't be told."
    },
    "document": {
      "type": "object",
      "description": "The document itself."
    }
  },
  "required": [
    "schema",
    "id",
    "collection",
    "version",
    "routing",
    "document"
  ],
  "additionalProperties": false
}

"""##),
        ("event.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:event:1",
  "title": "fastctl.event/1: the outcome of one operation, by remove, add and update -o ndjson, and jobs issues",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.event/1"
    },
    "operationID": {
      "type": "integer",
      "minimum": 0,
      "description": "The number of the operation in its job, from 1."
    },
    "operation": {
      "enum": [
        "add",
        "update",
        "remove"
      ],
      "description": "What was asked for."
    },
    "documentID": {
      "type": "string",
      "description": "The ID of the document."
    },
    "outcome": {
      "enum": [
        "removed",
        "missing",
        "gone",
        "added",
        "updated",
        "noop",
        "stale",
        "superseded",
        "dropped",
        "failed",
        "expired",
        "cancelled"
      ],
      "description": "What became of it."
    },
    "code": {
      "type": [
        "string",
        "null"
      ],
      "description": "The code of the failure; null if there is none. Codes may be added."
    },
    "number": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "FAST's number of the failure; null if it has none."
    },
    "description": {
      "type": [
        "string",
        "null"
      ],
      "description": "The failure in one sentence; null if there is none."
    }
  },
  "required": [
    "schema",
    "operationID",
    "operation",
    "documentID",
    "outcome",
    "code",
    "number",
    "description"
  ],
  "additionalProperties": false
}

"""##),
        ("existence.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:existence:1",
  "title": "fastctl.existence/1: whether a document exists, by exists",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.existence/1"
    },
    "id": {
      "type": "string",
      "description": "The ID."
    },
    "collection": {
      "type": "string",
      "description": "The collection."
    },
    "routing": {
      "type": [
        "string",
        "null"
      ],
      "description": "The routing that the engine needs beside the ID; null if there is none."
    },
    "exists": {
      "type": "boolean",
      "description": "Whether it exists."
    }
  },
  "required": [
    "schema",
    "id",
    "collection",
    "routing",
    "exists"
  ],
  "additionalProperties": false
}

"""##),
        ("explanation.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:explanation:1",
  "title": "fastctl.explanation/1: what a code or a text means, by explain",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.explanation/1"
    },
    "asked": {
      "type": "string",
      "description": "What was asked; of a row its message. Names in it are masked unless --no-redact was given."
    },
    "known": {
      "type": "boolean",
      "description": "Whether anything is known of it; false also for a paste without a failure that is known."
    },
    "row": {
      "oneOf": [
        {
          "type": "null"
        },
        {
          "type": "object",
          "properties": {
            "line": {
              "type": "integer",
              "minimum": 1,
              "description": "The line in the text."
            },
            "rows": {
              "type": "integer",
              "minimum": 1,
              "description": "How many rows the text has."
            },
            "time": {
              "type": [
                "string",
                "null"
              ],
              "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
              "description": "The row's time; null if it is not known"
            },
            "server": {
              "type": [
                "string",
                "null"
              ],
              "description": "Its server."
            },
            "process": {
              "type": [
                "string",
                "null"
              ],
              "description": "Its process."
            },
            "area": {
              "type": [
                "string",
                "null"
              ],
              "description": "Its area."
            },
            "category": {
              "type": [
                "string",
                "null"
              ],
              "description": "Its category."
            },
            "eventID": {
              "type": [
                "string",
                "null"
              ],
              "description": "Its event ID."
            },
            "level": {
              "type": [
                "string",
                "null"
              ],
              "description": "Its level."
            },
            "correlation": {
              "type": [
                "string",
                "null"
              ],
              "description": "Its correlation."
            }
          },
          "required": [
            "line",
            "rows",
            "time",
            "server",
            "process",
            "area",
            "category",
            "eventID",
            "level",
            "correlation"
          ],
          "additionalProperties": false
        }
      ],
      "description": "The row of a log that the text is; null if it is none."
    },
    "decoded": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "space": {
            "type": "string",
            "description": "The kind of code: win32, hresult, … Names may be added."
          },
          "code": {
            "type": [
              "string",
              "null"
            ],
            "description": "The code, as it is usually spelled; null for a sentence, which stands for no number."
          },
          "number": {
            "type": [
              "integer",
              "null"
            ],
            "minimum": 0,
            "description": "The number, without a sign; null for a sentence."
          },
          "name": {
            "type": [
              "string",
              "null"
            ],
            "description": "Its name; null if it has none."
          },
          "meaning": {
            "type": [
              "string",
              "null"
            ],
            "description": "What it says; null if nobody has written it down."
          },
          "usually": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "description": "What it most often comes from."
          },
          "evidence": {
            "enum": [
              "number",
              "name",
              "phrase",
              null
            ],
            "description": "What in the text stands for it: its number, its name, or a sentence (phrase); null if the code itself was asked for."
          },
          "start": {
            "type": [
              "integer",
              "null"
            ],
            "minimum": 0,
            "description": "Where that stands in \"asked\", in bytes from 0; null if it stands in another row of the same failure."
          },
          "end": {
            "type": [
              "integer",
              "null"
            ],
            "minimum": 0,
            "description": "Where it ends."
          }
        },
        "required": [
          "space",
          "code",
          "number",
          "name",
          "meaning",
          "usually",
          "evidence",
          "start",
          "end"
        ],
        "additionalProperties": false
      },
      "description": "The codes in it."
    },
    "exception": {
      "oneOf": [
        {
          "type": "null"
        },
        {
          "type": "object",
          "properties": {
            "type": {
              "type": [
                "string",
                "null"
              ],
              "description": "The type of the innermost exception."
            },
            "message": {
              "type": [
                "string",
                "null"
              ],
              "description": "Its message."
            },
            "hresult": {
              "type": [
                "string",
                "null"
              ],
              "description": "Its HRESULT."
            },
            "thrownBy": {
              "type": [
                "string",
                "null"
              ],
              "description": "The frame that threw it."
            },
            "calledBy": {
              "type": [
                "string",
                "null"
              ],
              "description": "The first frame that is not the runtime's."
            },
            "chain": {
              "type": "array",
              "items": {
                "type": "string"
              },
              "description": "The types, the outermost first."
            },
            "frames": {
              "type": "integer",
              "minimum": 0,
              "description": "The number of frames."
            }
          },
          "required": [
            "type",
            "message",
            "hresult",
            "thrownBy",
            "calledBy",
            "chain",
            "frames"
          ],
          "additionalProperties": false
        }
      ],
      "description": "The exception in it; null if there is none."
    },
    "customFrame": {
      "type": [
        "string",
        "null"
      ],
      "description": "The first frame of custom or third-party code; null if there is none."
    },
    "during": {
      "oneOf": [
        {
          "type": "null"
        },
        {
          "type": "object",
          "properties": {
            "activity": {
              "type": "string",
              "description": "The ID of the activity."
            },
            "name": {
              "type": "string",
              "description": "What was being done."
            },
            "within": {
              "type": [
                "string",
                "null"
              ],
              "description": "What that was done within; null if that is not known."
            },
            "usually": {
              "type": "array",
              "items": {
                "type": "string",
                "description": "A sentence."
              },
              "description": "What it mostly fails of."
            },
            "evidence": {
              "enum": [
                "frame",
                "text"
              ],
              "description": "What speaks for it: a frame is certain, a text likely."
            },
            "evidenceText": {
              "type": "string",
              "description": "The frame or the words."
            }
          },
          "required": [
            "activity",
            "name",
            "within",
            "usually",
            "evidence",
            "evidenceText"
          ],
          "additionalProperties": false
        }
      ],
      "description": "What was being done; null if that is not known."
    },
    "where": {
      "oneOf": [
        {
          "type": "null"
        },
        {
          "type": "object",
          "properties": {
            "component": {
              "type": "string",
              "description": "The ID of the component."
            },
            "name": {
              "type": "string",
              "description": "Its name."
            },
            "does": {
              "type": "string",
              "description": "What it does."
            },
            "needs": {
              "type": "array",
              "items": {
                "type": "string"
              },
              "description": "What it needs."
            },
            "evidence": {
              "type": "string",
              "description": "What speaks for it: frame, exceptionType, message, category, text, process."
            },
            "evidenceText": {
              "type": "string",
              "description": "The text that does."
            }
          },
          "required": [
            "component",
            "name",
            "does",
            "needs",
            "evidence",
            "evidenceText"
          ],
          "additionalProperties": false
        }
      ],
      "description": "The component it comes from: likely; null if the text does not say."
    },
    "cause": {
      "type": "array",
      "items": {
        "type": "string"
      },
      "description": "What it may come from: possible."
    },
    "checks": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/check"
      },
      "description": "What to look at next."
    },
    "notShown": {
      "type": "integer",
      "minimum": 0,
      "description": "How many more failures of the same paste are not listed; only the last entry of a paste has more than 0."
    }
  },
  "required": [
    "schema",
    "asked",
    "known",
    "row",
    "decoded",
    "exception",
    "customFrame",
    "during",
    "where",
    "cause",
    "checks",
    "notShown"
  ],
  "additionalProperties": false,
  "$defs": {
    "check": {
      "type": "object",
      "properties": {
        "text": {
          "type": "string",
          "description": "What to look at."
        },
        "command": {
          "type": [
            "string",
            "null"
          ],
          "description": "A command that shows it and changes nothing; null if there is none."
        }
      },
      "required": [
        "text",
        "command"
      ],
      "additionalProperties": false
    }
  }
}

"""##),
        ("farm.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:farm:1",
  "title": "fastctl.farm/1: what a farm is made of; Get-FarmFacts.ps1 writes it, diagnose --farm reads it",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.farm/1"
    },
    "takenAt": {
      "type": [
        "string",
        "null"
      ],
      "description": "When it was written."
    },
    "edition": {
      "enum": [
        "foundation",
        "standard",
        "enterprise",
        null
      ],
      "description": "The edition of SharePoint."
    },
    "build": {
      "type": [
        "string",
        "null"
      ],
      "description": "The build of the farm: 16.0.4549.1000."
    },
    "servers": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "name": {
            "type": "string",
            "description": "The name."
          },
          "role": {
            "type": [
              "string",
              "null"
            ],
            "description": "The role."
          },
          "build": {
            "type": [
              "string",
              "null"
            ],
            "description": "The build that is installed."
          },
          "services": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "type": {
                  "type": "string",
                  "description": "The class of the service."
                },
                "name": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "description": "Its name for people."
                },
                "status": {
                  "type": "string",
                  "description": "Its status: Online, Disabled, …"
                }
              },
              "required": [
                "type",
                "status"
              ],
              "additionalProperties": false
            },
            "description": "Its services."
          }
        },
        "required": [
          "name"
        ],
        "additionalProperties": false
      },
      "description": "The servers."
    },
    "serviceApplications": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "name": {
            "type": "string",
            "description": "The name."
          },
          "type": {
            "type": "string",
            "description": "The class."
          },
          "status": {
            "type": "string",
            "description": "The status."
          }
        },
        "required": [
          "name",
          "type",
          "status"
        ],
        "additionalProperties": false
      },
      "description": "Service applications."
    },
    "accounts": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "name": {
            "type": "string",
            "description": "The account."
          },
          "uses": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "description": "What runs as it."
          }
        },
        "required": [
          "name"
        ],
        "additionalProperties": false
      },
      "description": "Managed accounts."
    },
    "zones": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "url": {
            "type": "string",
            "description": "The address."
          },
          "webApplication": {
            "type": [
              "string",
              "null"
            ],
            "description": "The web application."
          },
          "zone": {
            "type": [
              "string",
              "null"
            ],
            "description": "The zone."
          },
          "authentication": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "description": "How users authenticate."
          }
        },
        "required": [
          "url"
        ],
        "additionalProperties": false
      },
      "description": "Zones of web applications."
    }
  },
  "required": [
    "schema",
    "servers"
  ],
  "additionalProperties": false
}

"""##),
        ("job.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:job:1",
  "title": "fastctl.job/1: a job, by jobs list and show",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.job/1"
    },
    "job": {
      "type": "string",
      "description": "The ID of the job."
    },
    "state": {
      "enum": [
        "running",
        "interrupted",
        "queued",
        "finished",
        "cancelled"
      ],
      "description": "How it stands."
    },
    "process": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 1,
      "description": "The process that works on it; null if none does."
    },
    "command": {
      "enum": [
        "remove",
        "add",
        "update"
      ],
      "description": "What it does with documents."
    },
    "commandLine": {
      "type": "string",
      "description": "The command that began it."
    },
    "directory": {
      "type": "string",
      "description": "The folder it was begun in."
    },
    "target": {
      "type": "string",
      "description": "The address of the target."
    },
    "collection": {
      "type": "string",
      "description": "The collection."
    },
    "startedAt": {
      "type": "string",
      "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$",
      "description": "When it began, ISO 8601 in UTC, with milliseconds"
    },
    "changedAt": {
      "type": "string",
      "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$",
      "description": "When it last changed, ISO 8601 in UTC, with milliseconds"
    },
    "runs": {
      "type": "integer",
      "minimum": 0,
      "description": "How often it was begun or resumed."
    },
    "counts": {
      "type": "object",
      "description": "What became of its operations.",
      "properties": {
        "accepted": {
          "type": "integer",
          "minimum": 0,
          "description": "Operations that were accepted."
        },
        "open": {
          "type": "integer",
          "minimum": 0,
          "description": "Operations that have not settled."
        },
        "isLowerBound": {
          "type": "boolean",
          "description": "Whether more may have been accepted, and be open: the last run was killed, or is still reading."
        },
        "rejectedInput": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines or records of the input that are no operation."
        },
        "removed": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were removed from the collection."
        },
        "missing": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were not there to be removed."
        },
        "gone": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were removed before, by an earlier copy of the operation."
        },
        "added": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were added."
        },
        "updated": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were updated."
        },
        "noop": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were left as they were, because nothing would change."
        },
        "stale": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were overtaken by a newer operation."
        },
        "superseded": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were superseded by a later operation of the same input."
        },
        "dropped": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were dropped by the engine, which is configured so."
        },
        "failed": {
          "type": "integer",
          "minimum": 0,
          "description": "Operations that failed."
        },
        "expired": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were out of time."
        },
        "cancelled": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were cancelled."
        }
      },
      "required": [
        "accepted",
        "open",
        "isLowerBound",
        "rejectedInput",
        "removed",
        "missing",
        "gone",
        "added",
        "updated",
        "noop",
        "stale",
        "superseded",
        "dropped",
        "failed",
        "expired",
        "cancelled"
      ],
      "additionalProperties": false
    },
    "perhapsAdded": {
      "type": "integer",
      "minimum": 1,
      "description": "Of the documents counted as updated, those that an earlier attempt of this job, whose answer was lost, may have added; absent if there are none."
    },
    "errors": {
      "type": "integer",
      "minimum": 0,
      "description": "Errors that are kept."
    },
    "warnings": {
      "type": "integer",
      "minimum": 0,
      "description": "Warnings that are kept."
    }
  },
  "required": [
    "schema",
    "job",
    "state",
    "process",
    "command",
    "commandLine",
    "directory",
    "target",
    "collection",
    "startedAt",
    "changedAt",
    "runs",
    "counts",
    "errors",
    "warnings"
  ],
  "additionalProperties": false
}

"""##),
        ("left.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:left:1",
  "title": "fastctl.left/1: in a backup, what a job left of a document that it changed again; add passes it over",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.left/1"
    },
    "id": {
      "type": "string",
      "description": "The ID."
    },
    "collection": {
      "type": "string",
      "description": "The collection."
    },
    "routing": {
      "type": [
        "string",
        "null"
      ],
      "description": "The routing that the engine needs beside the ID; null if there is none."
    },
    "left": {
      "type": [
        "string",
        "null"
      ],
      "pattern": "^(none|[0-9a-f]{32})$",
      "description": "The digest of what the job left of the document, none if it removed it; null if that can't be told."
    }
  },
  "required": [
    "schema",
    "id",
    "collection",
    "routing",
    "left"
  ],
  "additionalProperties": false
}

"""##),
        ("logEvent.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:logEvent:1",
  "title": "fastctl.logEvent/1: an event of a log, by logs show, merge and trace",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.logEvent/1"
    },
    "time": {
      "type": [
        "string",
        "null"
      ],
      "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
      "description": "The event's time; null if it is not known"
    },
    "timeQuality": {
      "enum": [
        "exact",
        "local",
        "ambiguous",
        "skipped",
        "timeOnly",
        "none"
      ],
      "description": "What is known of the time: exact has an offset from UTC; local is the server's clock; ambiguous and skipped are local, at the change of daylight saving; timeOnly has no date."
    },
    "server": {
      "type": [
        "string",
        "null"
      ],
      "description": "The server; null if it is not known."
    },
    "process": {
      "type": [
        "string",
        "null"
      ],
      "description": "The process."
    },
    "processID": {
      "type": [
        "string",
        "null"
      ],
      "description": "Its ID, as written."
    },
    "threadID": {
      "type": [
        "string",
        "null"
      ],
      "description": "The thread's ID, as written."
    },
    "area": {
      "type": [
        "string",
        "null"
      ],
      "description": "The area."
    },
    "category": {
      "type": [
        "string",
        "null"
      ],
      "description": "The category."
    },
    "eventID": {
      "type": [
        "string",
        "null"
      ],
      "description": "The event ID."
    },
    "level": {
      "type": [
        "string",
        "null"
      ],
      "description": "The level, as written."
    },
    "message": {
      "type": "string",
      "description": "The message, whole, with its line ends."
    },
    "correlation": {
      "type": [
        "string",
        "null"
      ],
      "description": "The correlation; null if there is none."
    },
    "file": {
      "type": "string",
      "description": "The file, as it was named or found."
    },
    "line": {
      "type": "integer",
      "minimum": 1,
      "description": "The first line, from 1."
    },
    "lineEnd": {
      "type": "integer",
      "minimum": 1,
      "description": "The last line."
    },
    "parts": {
      "type": "integer",
      "minimum": 1,
      "description": "How many rows the message was split into."
    },
    "inferred": {
      "type": "boolean",
      "description": "Whether the row has no columns, so that its fields were inferred."
    },
    "context": {
      "type": "boolean",
      "description": "Whether it is there because of a hit around it, and is none itself."
    }
  },
  "required": [
    "schema",
    "time",
    "timeQuality",
    "server",
    "process",
    "processID",
    "threadID",
    "area",
    "category",
    "eventID",
    "level",
    "message",
    "correlation",
    "file",
    "line",
    "lineEnd",
    "parts",
    "inferred",
    "context"
  ],
  "additionalProperties": false
}

"""##),
        ("normal.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:normal:1",
  "title": "fastctl.normal/1: what is normal in a log, by logs baseline; diagnose --normal reads it",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.normal/1"
    },
    "hours": {
      "type": "number",
      "minimum": 0,
      "description": "How many hours the log covers."
    },
    "kinds": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "id": {
            "type": "string",
            "description": "The ID of the kind."
          },
          "eventID": {
            "type": "string",
            "description": "The event ID."
          },
          "template": {
            "type": "string",
            "description": "The beginning of the message, with placeholders."
          },
          "rows": {
            "type": "integer",
            "minimum": 1,
            "description": "The number of rows."
          }
        },
        "required": [
          "id",
          "eventID",
          "template",
          "rows"
        ],
        "additionalProperties": false
      },
      "description": "Kinds of rows that show a problem."
    },
    "others": {
      "type": "object",
      "additionalProperties": {
        "type": "integer",
        "minimum": 1,
        "description": "The kind's rows."
      },
      "description": "Rows of further kinds by ID, where a log has more kinds than are told apart."
    },
    "isIncomplete": {
      "type": "boolean",
      "description": "Whether there are kinds that are not even among the others."
    },
    "failures": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "id": {
            "type": "string",
            "description": "The kind's ID."
          },
          "eventID": {
            "type": "string",
            "description": "The ID of its events."
          },
          "template": {
            "type": "string",
            "description": "Its text without what differs."
          },
          "exception": {
            "type": [
              "string",
              "null"
            ],
            "description": "Its exception; null if it has none."
          },
          "level": {
            "type": [
              "string",
              "null"
            ],
            "description": "The worst level of its rows; null if they have none."
          },
          "rows": {
            "type": "integer",
            "minimum": 0,
            "description": "Its rows."
          },
          "events": {
            "type": "integer",
            "minimum": 0,
            "description": "Its events, whose rows are joined."
          },
          "servers": {
            "type": "object",
            "additionalProperties": {
              "type": "integer",
              "minimum": 0,
              "description": "Rows of the server."
            },
            "description": "Rows by server, in lowercase."
          }
        },
        "required": [
          "id",
          "eventID",
          "template",
          "exception",
          "level",
          "rows",
          "events",
          "servers"
        ],
        "additionalProperties": false
      },
      "description": "All kinds of failures, whether rules explain them or not."
    },
    "servers": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "name": {
            "type": "string",
            "description": "The server; empty if it is not known."
          },
          "hours": {
            "type": "number",
            "minimum": 0,
            "description": "Hours that its rows cover."
          }
        },
        "required": [
          "name",
          "hours"
        ],
        "additionalProperties": false
      },
      "description": "The servers of the log."
    }
  },
  "required": [
    "schema",
    "hours",
    "kinds"
  ],
  "additionalProperties": false
}

"""##),
        ("plan.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:plan:1",
  "title": "fastctl.plan/1: the first line of a plan, by reconcile --plan and find --plan",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.plan/1"
    },
    "command": {
      "enum": [
        "reconcile",
        "find"
      ],
      "description": "The command that made the plan."
    },
    "createdAt": {
      "type": "string",
      "description": "The time when it was made, in ISO 8601, in UTC."
    },
    "source": {
      "type": [
        "string",
        "null"
      ],
      "description": "The address of the source that the collection was compared with; null if there was none."
    },
    "by": {
      "type": [
        "string",
        "null"
      ],
      "description": "What was compared: content, id, or the name of a top-level key; null without a source."
    },
    "query": {
      "type": [
        "string",
        "null"
      ],
      "description": "What was searched for; null if nothing was."
    },
    "context": {
      "type": [
        "string",
        "null"
      ],
      "description": "The context by which the target was named; null if it was none."
    },
    "target": {
      "type": "string",
      "description": "The address of the target."
    },
    "collection": {
      "type": "string",
      "description": "The collection, as its engine names it."
    },
    "state": {
      "type": "object",
      "description": "What the collection was; it must be the same when the plan is applied.",
      "properties": {
        "identity": {
          "type": "string",
          "description": "What tells the collection from another one of its name."
        },
        "contents": {
          "type": [
            "string",
            "null"
          ],
          "description": "What is another text after a change, for an engine whose histories don't end with every change; null for others."
        },
        "parts": {
          "type": "array",
          "description": "Its parts (shards).",
          "items": {
            "type": "object",
            "description": "A part.",
            "properties": {
              "name": {
                "type": "string",
                "description": "Its name."
              },
              "history": {
                "type": "string",
                "description": "What tells its history from another one."
              },
              "last": {
                "type": "integer",
                "description": "The number of its last change."
              }
            },
            "required": [
              "name",
              "history",
              "last"
            ],
            "additionalProperties": false
          }
        }
      },
      "required": [
        "identity",
        "contents",
        "parts"
      ],
      "additionalProperties": false
    },
    "counts": {
      "type": [
        "object",
        "null"
      ],
      "description": "What both sides had; null without a source.",
      "properties": {
        "source": {
          "type": "integer",
          "minimum": 0,
          "description": "The different IDs of the source."
        },
        "collection": {
          "type": "integer",
          "minimum": 0,
          "description": "The different IDs of the collection."
        },
        "same": {
          "type": "integer",
          "minimum": 0,
          "description": "Those that both have in the same version."
        },
        "missing": {
          "type": "integer",
          "minimum": 0,
          "description": "Those that only the source has."
        },
        "stale": {
          "type": "integer",
          "minimum": 0,
          "description": "Those that both have in different versions."
        },
        "orphaned": {
          "type": "integer",
          "minimum": 0,
          "description": "Those that only the collection has."
        },
        "duplicate": {
          "type": "integer",
          "minimum": 0,
          "description": "Those that one side has more than once."
        },
        "settled": {
          "type": "integer",
          "minimum": 0,
          "description": "Differences that were none any more when they were looked at once more, because the collection was changed meanwhile."
        }
      },
      "required": [
        "source",
        "collection",
        "same",
        "missing",
        "stale",
        "orphaned",
        "duplicate",
        "settled"
      ],
      "additionalProperties": false
    },
    "only": {
      "type": "array",
      "items": {
        "enum": [
          "missing",
          "stale",
          "orphaned",
          "duplicate"
        ]
      },
      "description": "The kinds of differences that are in the plan; empty without a source."
    },
    "minimumShare": {
      "type": [
        "number",
        "null"
      ],
      "description": "The least share of the last reading's entries that the source had to have, in percent; null without a source."
    }
  },
  "required": [
    "schema",
    "command",
    "createdAt",
    "source",
    "by",
    "query",
    "context",
    "target",
    "collection",
    "state",
    "counts",
    "only",
    "minimumShare"
  ],
  "additionalProperties": false
}

"""##),
        ("preview.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:preview:1",
  "title": "fastctl.preview/1: a dry run, by remove, add and update --dry-run -o json and --report",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.preview/1"
    },
    "command": {
      "enum": [
        "remove",
        "add",
        "update",
        "copy",
        "apply",
        "undo"
      ],
      "description": "The command."
    },
    "target": {
      "type": [
        "string",
        "null"
      ],
      "description": "The address of the target; null if nobody went there."
    },
    "collection": {
      "type": [
        "string",
        "null"
      ],
      "description": "The collection; null if nobody went there."
    },
    "lookedUp": {
      "type": "boolean",
      "description": "Whether the documents were looked up, by --dry-run=server."
    },
    "items": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/previewedOperation"
      },
      "description": "The operations in the order of the input; empty in the last line of -o ndjson, where each has a line of its own."
    },
    "counts": {
      "type": "object",
      "description": "How many operations would do what.",
      "properties": {
        "operations": {
          "type": "integer",
          "minimum": 0,
          "description": "Operations of the input."
        },
        "unknown": {
          "type": "integer",
          "minimum": 0,
          "description": "Operations whose document nobody looked up."
        },
        "removed": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that would be removed."
        },
        "added": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that would be added."
        },
        "replaced": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that would be replaced by another."
        },
        "updated": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that would be updated."
        },
        "unchanged": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that already are as they would be."
        },
        "missing": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that are not there to be removed or updated."
        },
        "failed": {
          "type": "integer",
          "minimum": 0,
          "description": "Operations that the engine would refuse."
        },
        "repeated": {
          "type": "integer",
          "minimum": 0,
          "description": "Operations on documents that the input named before."
        },
        "rejectedInput": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines or records of the input that are no operation."
        }
      },
      "required": [
        "operations",
        "unknown",
        "removed",
        "added",
        "replaced",
        "updated",
        "unchanged",
        "missing",
        "failed",
        "repeated",
        "rejectedInput"
      ],
      "additionalProperties": false
    },
    "limit": {
      "type": [
        "object",
        "null"
      ],
      "description": "The limit of --max-remove; null without it.",
      "properties": {
        "allowed": {
          "type": "integer",
          "minimum": 0,
          "description": "The removals that it allows."
        },
        "removals": {
          "type": "integer",
          "minimum": 0,
          "description": "The removals of the input."
        },
        "exceeded": {
          "type": "boolean",
          "description": "Whether the run itself would be refused."
        }
      },
      "required": [
        "allowed",
        "removals",
        "exceeded"
      ],
      "additionalProperties": false
    },
    "refusal": {
      "type": [
        "string",
        "null"
      ],
      "description": "Why the run itself would be refused: --max-remove, or a plan for the collection as it was; null if it would not."
    },
    "confirmation": {
      "type": [
        "string",
        "null"
      ],
      "description": "The protected context that the run itself needs --confirm for; null if there is none."
    },
    "exitCode": {
      "type": "integer",
      "minimum": 0,
      "description": "The exit code of the command."
    },
    "startedAt": {
      "type": "string",
      "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$",
      "description": "When the run began, ISO 8601 in UTC, with milliseconds"
    },
    "seconds": {
      "type": "number",
      "minimum": 0,
      "description": "How long the run took, in seconds."
    }
  },
  "required": [
    "schema",
    "command",
    "target",
    "collection",
    "lookedUp",
    "items",
    "counts",
    "limit",
    "refusal",
    "confirmation",
    "exitCode",
    "startedAt",
    "seconds"
  ],
  "additionalProperties": false,
  "$defs": {
    "previewedOperation": {
      "type": "object",
      "properties": {
        "operation": {
          "enum": [
            "add",
            "update",
            "remove"
          ],
          "description": "What is asked for."
        },
        "documentID": {
          "type": "string",
          "description": "The ID of the document."
        },
        "routing": {
          "type": [
            "string",
            "null"
          ],
          "description": "The routing that the input gives; null if it gives none."
        },
        "effect": {
          "enum": [
            "unknown",
            "removed",
            "added",
            "replaced",
            "updated",
            "unchanged",
            "missing",
            "failed",
            "repeated"
          ],
          "description": "What the run would do: unknown if nobody looked, repeated if the input named the document before."
        },
        "keys": {
          "type": [
            "object",
            "null"
          ],
          "description": "How the document would differ; null where there is no document to compare, or no difference.",
          "properties": {
            "added": {
              "type": "array",
              "items": {
                "type": "string"
              },
              "description": "Top-level keys that only the new document has; at most 100."
            },
            "changed": {
              "type": "array",
              "items": {
                "type": "string"
              },
              "description": "Top-level keys with another value; at most 100."
            },
            "removed": {
              "type": "array",
              "items": {
                "type": "string"
              },
              "description": "Top-level keys that only the old document has; at most 100."
            },
            "more": {
              "type": "integer",
              "minimum": 0,
              "description": "Keys that are not named."
            }
          },
          "required": [
            "added",
            "changed",
            "removed",
            "more"
          ],
          "additionalProperties": false
        },
        "code": {
          "type": [
            "string",
            "null"
          ],
          "description": "The code of the failure; null if there is none. Codes may be added."
        },
        "description": {
          "type": [
            "string",
            "null"
          ],
          "description": "The failure in one sentence; null if there is none."
        }
      },
      "required": [
        "operation",
        "documentID",
        "routing",
        "effect",
        "keys",
        "code",
        "description"
      ],
      "additionalProperties": false
    }
  }
}

"""##),
        ("previewItem.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:previewItem:1",
  "title": "fastctl.previewItem/1: what one operation would do, by remove, add and update --dry-run -o ndjson",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.previewItem/1"
    },
    "operation": {
      "enum": [
        "add",
        "update",
        "remove"
      ],
      "description": "What is asked for."
    },
    "documentID": {
      "type": "string",
      "description": "The ID of the document."
    },
    "routing": {
      "type": [
        "string",
        "null"
      ],
      "description": "The routing that the input gives; null if it gives none."
    },
    "effect": {
      "enum": [
        "unknown",
        "removed",
        "added",
        "replaced",
        "updated",
        "unchanged",
        "missing",
        "failed",
        "repeated"
      ],
      "description": "What the run would do: unknown if nobody looked, repeated if the input named the document before."
    },
    "keys": {
      "type": [
        "object",
        "null"
      ],
      "description": "How the document would differ; null where there is no document to compare, or no difference.",
      "properties": {
        "added": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Top-level keys that only the new document has; at most 100."
        },
        "changed": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Top-level keys with another value; at most 100."
        },
        "removed": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Top-level keys that only the old document has; at most 100."
        },
        "more": {
          "type": "integer",
          "minimum": 0,
          "description": "Keys that are not named."
        }
      },
      "required": [
        "added",
        "changed",
        "removed",
        "more"
      ],
      "additionalProperties": false
    },
    "code": {
      "type": [
        "string",
        "null"
      ],
      "description": "The code of the failure; null if there is none. Codes may be added."
    },
    "description": {
      "type": [
        "string",
        "null"
      ],
      "description": "The failure in one sentence; null if there is none."
    }
  },
  "required": [
    "schema",
    "operation",
    "documentID",
    "routing",
    "effect",
    "keys",
    "code",
    "description"
  ],
  "additionalProperties": false
}

"""##),
        ("profile.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:profile:1",
  "title": "fastctl.profile/1: a farm profile, by profiles list and show",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.profile/1"
    },
    "name": {
      "type": "string",
      "description": "Its name."
    },
    "origin": {
      "type": "string",
      "description": "What kind of file it is in."
    },
    "place": {
      "type": [
        "string",
        "null"
      ],
      "description": "The file and line; null if there is none."
    },
    "settings": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/setting"
      },
      "description": "All settings that apply."
    }
  },
  "required": [
    "schema",
    "name",
    "origin",
    "place",
    "settings"
  ],
  "additionalProperties": false,
  "$defs": {
    "setting": {
      "type": "object",
      "properties": {
        "name": {
          "type": "string",
          "description": "The name."
        },
        "value": {
          "type": "string",
          "description": "The value; never a secret."
        },
        "origin": {
          "enum": [
            "option",
            "environment",
            "project-file",
            "user-file",
            "default"
          ],
          "description": "Where it comes from."
        },
        "place": {
          "type": [
            "string",
            "null"
          ],
          "description": "The option, the variable, or file and line; null for a default."
        }
      },
      "required": [
        "name",
        "value",
        "origin",
        "place"
      ],
      "additionalProperties": false
    }
  }
}

"""##),
        ("progress.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:progress:1",
  "title": "fastctl.progress/1: how far a command is, by --progress json, every second and at the end",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.progress/1"
    },
    "seconds": {
      "type": "number",
      "minimum": 0,
      "description": "How long the command has run, in seconds."
    },
    "bytes": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "Bytes of the input that were read; null if they are not counted."
    },
    "totalBytes": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "Bytes of the whole input; null if that is not known."
    },
    "bytesPerSecond": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "Bytes a second, of the last seconds; null at the beginning."
    },
    "items": {
      "type": "integer",
      "minimum": 0,
      "description": "What was done of the present kind: operations that are settled, events or entries that were read, documents that were compared or checked."
    },
    "itemKind": {
      "type": "string",
      "description": "What the items are: events, done, pulled, pushed, read, compared, reread or checked; a command that does one after the other begins each with no items."
    },
    "totalItems": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "All items; null if their number is not known."
    },
    "sourceItems": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "Those of the items that are entries of the source; null unless two sides are read."
    },
    "collectionItems": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "Those of the items that are documents of the collection; null unless two sides are read."
    },
    "collectionTotal": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "All documents of the collection; null unless two sides are read, or if their number is not known."
    },
    "itemsPerSecond": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "Items a second, of the last seconds; null at the beginning."
    },
    "errors": {
      "type": "integer",
      "minimum": 0,
      "description": "Documents with an error, or entries that can't be read."
    },
    "inFlight": {
      "type": "integer",
      "minimum": 0,
      "description": "Operations that were sent to the engine and are not answered."
    },
    "percent": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "maximum": 100,
      "description": "How much is done, in percent; null if that is not known."
    },
    "secondsLeft": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "How long the rest takes at this rate, in seconds; null if that is not known."
    },
    "waitingSeconds": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "How long nothing has succeeded, in seconds; null if something does."
    },
    "waitingFor": {
      "type": [
        "string",
        "null"
      ],
      "description": "Why nothing succeeds: the engine's last failure; null if it has simply not answered."
    },
    "givesUpInSeconds": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "In how many seconds the command gives up if nothing succeeds; null if it does not, or nothing is known to have failed."
    },
    "isLast": {
      "type": "boolean",
      "description": "Whether the command has ended."
    }
  },
  "required": [
    "schema",
    "seconds",
    "bytes",
    "totalBytes",
    "bytesPerSecond",
    "items",
    "itemKind",
    "totalItems",
    "sourceItems",
    "collectionItems",
    "collectionTotal",
    "itemsPerSecond",
    "errors",
    "inFlight",
    "percent",
    "secondsLeft",
    "waitingSeconds",
    "waitingFor",
    "givesUpInSeconds",
    "isLast"
  ],
  "additionalProperties": false
}

"""##),
        ("reconciliation.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:reconciliation:1",
  "title": "fastctl.reconciliation/1: how a collection differs from its source, by reconcile -o json and ndjson",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.reconciliation/1"
    },
    "source": {
      "type": "string",
      "description": "The address of the source."
    },
    "target": {
      "type": "string",
      "description": "The address of the target."
    },
    "collection": {
      "type": "string",
      "description": "The collection."
    },
    "by": {
      "type": "string",
      "description": "What was compared: content, id, or the name of a top-level key."
    },
    "differences": {
      "type": "array",
      "items": {
        "type": "object",
        "description": "A difference.",
        "properties": {
          "difference": {
            "enum": [
              "missing",
              "stale",
              "orphaned",
              "duplicate"
            ],
            "description": "What is different: missing is only in the source, stale in both and not the same, orphaned only in the collection, duplicate more than once on one side."
          },
          "documentID": {
            "type": "string",
            "description": "The ID of the document."
          }
        },
        "required": [
          "difference",
          "documentID"
        ],
        "additionalProperties": false
      },
      "description": "The differences in the order of the IDs' bytes; empty in the last line of -o ndjson, where each has a line of its own."
    },
    "counts": {
      "type": "object",
      "description": "How many there are.",
      "properties": {
        "source": {
          "type": "integer",
          "minimum": 0,
          "description": "The different IDs of the source."
        },
        "collection": {
          "type": "integer",
          "minimum": 0,
          "description": "The different IDs of the collection."
        },
        "same": {
          "type": "integer",
          "minimum": 0,
          "description": "Those that both have in the same version."
        },
        "missing": {
          "type": "integer",
          "minimum": 0,
          "description": "Those that only the source has."
        },
        "stale": {
          "type": "integer",
          "minimum": 0,
          "description": "Those that both have in different versions."
        },
        "orphaned": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 0,
          "description": "Those that only the collection has; null if nobody knows, because the source may not have been read whole."
        },
        "duplicate": {
          "type": "integer",
          "minimum": 0,
          "description": "Those that one side has more than once."
        },
        "settled": {
          "type": "integer",
          "minimum": 0,
          "description": "Differences that were none any more when they were looked at once more, because the collection was changed meanwhile."
        },
        "rejectedInput": {
          "type": "integer",
          "minimum": 0,
          "description": "What is in the source and is no entry that could be read."
        },
        "unversioned": {
          "type": "integer",
          "minimum": 0,
          "description": "Entries without a version to compare by, which are never the same."
        }
      },
      "required": [
        "source",
        "collection",
        "same",
        "missing",
        "stale",
        "orphaned",
        "duplicate",
        "settled",
        "rejectedInput",
        "unversioned"
      ],
      "additionalProperties": false
    },
    "only": {
      "type": "array",
      "items": {
        "enum": [
          "missing",
          "stale",
          "orphaned",
          "duplicate"
        ]
      },
      "description": "The kinds of differences that were asked for."
    },
    "changedMeanwhile": {
      "type": "boolean",
      "description": "Whether the collection was changed while it was read, so that each difference was looked at once more."
    },
    "incomplete": {
      "type": [
        "string",
        "null"
      ],
      "description": "Why the source may not have been read whole; null if it was."
    },
    "plan": {
      "type": [
        "object",
        "null"
      ],
      "description": "The plan that was written; null if none was.",
      "properties": {
        "file": {
          "type": "string",
          "description": "Its file."
        },
        "additions": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that it adds or replaces."
        },
        "removals": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that it removes."
        },
        "changed": {
          "type": "integer",
          "minimum": 0,
          "description": "Entries left out because they changed in the source between its two readings."
        },
        "vanished": {
          "type": "integer",
          "minimum": 0,
          "description": "Entries left out because they were gone from the source when it was read again."
        }
      },
      "required": [
        "file",
        "additions",
        "removals",
        "changed",
        "vanished"
      ],
      "additionalProperties": false
    },
    "exitCode": {
      "type": "integer",
      "description": "The exit code."
    },
    "startedAt": {
      "type": "string",
      "description": "The start, in ISO 8601, in UTC."
    },
    "seconds": {
      "type": "number",
      "minimum": 0,
      "description": "How long it took."
    }
  },
  "required": [
    "schema",
    "source",
    "target",
    "collection",
    "by",
    "differences",
    "counts",
    "only",
    "changedMeanwhile",
    "incomplete",
    "plan",
    "exitCode",
    "startedAt",
    "seconds"
  ],
  "additionalProperties": false
}

"""##),
        ("report.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:report:1",
  "title": "fastctl.report/1: the report of a feed, by remove, add and update -o json and --report",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.report/1"
    },
    "command": {
      "enum": [
        "remove",
        "add",
        "update",
        "copy",
        "apply",
        "undo"
      ],
      "description": "The command."
    },
    "target": {
      "type": "string",
      "description": "The address of the target."
    },
    "collection": {
      "type": "string",
      "description": "The collection."
    },
    "job": {
      "type": "string",
      "description": "The ID of the job."
    },
    "counts": {
      "type": "object",
      "description": "What became of the operations.",
      "properties": {
        "accepted": {
          "type": "integer",
          "minimum": 0,
          "description": "Operations that were accepted."
        },
        "open": {
          "type": "integer",
          "minimum": 0,
          "description": "Operations that have not settled."
        },
        "rejectedInput": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines or records of the input that are no operation."
        },
        "removed": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were removed from the collection."
        },
        "missing": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were not there to be removed."
        },
        "gone": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were removed before, by an earlier copy of the operation."
        },
        "added": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were added."
        },
        "updated": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were updated."
        },
        "noop": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were left as they were, because nothing would change."
        },
        "stale": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were overtaken by a newer operation."
        },
        "superseded": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were superseded by a later operation of the same input."
        },
        "dropped": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were dropped by the engine, which is configured so."
        },
        "failed": {
          "type": "integer",
          "minimum": 0,
          "description": "Operations that failed."
        },
        "expired": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were out of time."
        },
        "cancelled": {
          "type": "integer",
          "minimum": 0,
          "description": "Documents that were cancelled."
        }
      },
      "required": [
        "accepted",
        "open",
        "rejectedInput",
        "removed",
        "missing",
        "gone",
        "added",
        "updated",
        "noop",
        "stale",
        "superseded",
        "dropped",
        "failed",
        "expired",
        "cancelled"
      ],
      "additionalProperties": false
    },
    "input": {
      "type": "object",
      "description": "What was read.",
      "properties": {
        "lines": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines that were read."
        },
        "blank": {
          "type": "integer",
          "minimum": 0,
          "description": "Blank lines."
        },
        "bytes": {
          "type": "integer",
          "minimum": 0,
          "description": "Bytes that were read."
        },
        "duplicates": {
          "type": "integer",
          "minimum": 0,
          "description": "IDs that were in the input before."
        }
      },
      "required": [
        "lines",
        "blank",
        "bytes",
        "duplicates"
      ],
      "additionalProperties": false
    },
    "errors": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/issue"
      },
      "description": "Errors; empty in the last line of -o ndjson, where the events tell them."
    },
    "warnings": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/issue"
      },
      "description": "Warnings; empty there too."
    },
    "perhapsAdded": {
      "type": "integer",
      "minimum": 1,
      "description": "Of the documents counted as updated, those that an earlier attempt of this job, whose answer was lost, may have added; absent if there are none."
    },
    "verification": {
      "oneOf": [
        {
          "type": "object",
          "properties": {
            "status": {
              "const": "notRun"
            }
          },
          "required": [
            "status"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "status": {
              "const": "brokenOff"
            },
            "reason": {
              "type": "string",
              "description": "Why."
            }
          },
          "required": [
            "status",
            "reason"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "status": {
              "enum": [
                "verified",
                "notVerified",
                "nothingToVerify"
              ],
              "description": "Whether the collection is as it should be."
            },
            "documents": {
              "type": "integer",
              "minimum": 0,
              "description": "Documents to verify."
            },
            "checked": {
              "type": "integer",
              "minimum": 0,
              "description": "Documents that were looked up."
            },
            "wrong": {
              "type": "integer",
              "minimum": 0,
              "description": "Documents that are not as they should be."
            },
            "named": {
              "type": "array",
              "items": {
                "type": "string"
              },
              "description": "Some of their IDs."
            }
          },
          "required": [
            "status",
            "documents",
            "checked",
            "wrong",
            "named"
          ],
          "additionalProperties": false
        }
      ],
      "description": "What --verify found; left out without it."
    },
    "level": {
      "type": "string",
      "description": "The level of completion that was asked for."
    },
    "exitCode": {
      "type": "integer",
      "minimum": 0,
      "description": "The exit code of the command."
    },
    "startedAt": {
      "type": "string",
      "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$",
      "description": "When the run began, ISO 8601 in UTC, with milliseconds"
    },
    "seconds": {
      "type": "number",
      "minimum": 0,
      "description": "How long the run took, in seconds."
    }
  },
  "required": [
    "schema",
    "command",
    "target",
    "collection",
    "job",
    "counts",
    "input",
    "errors",
    "warnings",
    "level",
    "exitCode",
    "startedAt",
    "seconds"
  ],
  "additionalProperties": false,
  "$defs": {
    "issue": {
      "type": "object",
      "properties": {
        "operationID": {
          "type": "integer",
          "minimum": 0,
          "description": "The number of the operation in its job, from 1."
        },
        "documentID": {
          "type": "string",
          "description": "The ID of the document."
        },
        "code": {
          "type": "string",
          "description": "The code of the failure. Codes may be added."
        },
        "number": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 0,
          "description": "FAST's number of the failure; null if it has none."
        },
        "description": {
          "type": "string",
          "description": "The failure in one sentence."
        },
        "disposition": {
          "enum": [
            "permanent",
            "retryable",
            "dropped",
            "operatorAction"
          ],
          "description": "What can be done about it."
        },
        "attempts": {
          "type": "integer",
          "minimum": 0,
          "description": "How often it was tried."
        },
        "advice": {
          "type": [
            "string",
            "null"
          ],
          "description": "What to do; null if nothing is known."
        }
      },
      "required": [
        "operationID",
        "documentID",
        "code",
        "number",
        "description",
        "disposition",
        "attempts",
        "advice"
      ],
      "additionalProperties": false
    }
  }
}

"""##),
        ("request.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:request:1",
  "title": "fastctl.request/1: a request or job, by logs requests",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.request/1"
    },
    "correlation": {
      "type": [
        "string",
        "null"
      ],
      "description": "The correlation; null for rows that name none."
    },
    "failed": {
      "type": "boolean",
      "description": "Whether a row of it shows a problem."
    },
    "time": {
      "type": [
        "string",
        "null"
      ],
      "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
      "description": "When its first row was logged; null if it has no time."
    },
    "timeQuality": {
      "type": "string",
      "description": "How exact the times are, as in fastctl.logEvent/1."
    },
    "lastTime": {
      "type": [
        "string",
        "null"
      ],
      "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
      "description": "When its last row was logged; null if it has no time."
    },
    "seconds": {
      "type": [
        "number",
        "null"
      ],
      "minimum": 0,
      "description": "How long it took, in seconds; null if that is not known."
    },
    "server": {
      "type": [
        "string",
        "null"
      ],
      "description": "The server that wrote its first row; null if that is not known."
    },
    "method": {
      "type": [
        "string",
        "null"
      ],
      "description": "The HTTP method; null for a job."
    },
    "url": {
      "type": [
        "string",
        "null"
      ],
      "description": "The address; null for a job."
    },
    "name": {
      "type": [
        "string",
        "null"
      ],
      "description": "What rows call it; null if none does."
    },
    "user": {
      "type": [
        "string",
        "null"
      ],
      "description": "The user; null if no row names one."
    },
    "writer": {
      "type": [
        "string",
        "null"
      ],
      "description": "The process and thread that wrote rows without a correlation; null for others."
    },
    "level": {
      "type": [
        "string",
        "null"
      ],
      "description": "The worst level of its rows that show a problem, else of all its rows; null if none has a level."
    },
    "rows": {
      "type": "integer",
      "minimum": 0,
      "description": "Its rows; without a correlation, only those that show a problem."
    },
    "problemRows": {
      "type": "integer",
      "minimum": 0,
      "description": "Rows that show a problem."
    },
    "firstProblem": {
      "oneOf": [
        {
          "type": "null"
        },
        {
          "type": "object",
          "properties": {
            "time": {
              "type": [
                "string",
                "null"
              ],
              "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
              "description": "When it was logged; null if the row has no time."
            },
            "server": {
              "type": [
                "string",
                "null"
              ],
              "description": "The server that logged it; null if that is not known."
            },
            "eventID": {
              "type": [
                "string",
                "null"
              ],
              "description": "The event's ID; null if the row has none."
            },
            "text": {
              "type": [
                "string",
                "null"
              ],
              "description": "What went wrong, in one line."
            },
            "file": {
              "type": "string",
              "description": "The file of the row."
            },
            "line": {
              "type": "integer",
              "minimum": 1,
              "description": "The line of the row."
            }
          },
          "required": [
            "time",
            "server",
            "eventID",
            "text",
            "file",
            "line"
          ],
          "additionalProperties": false
        }
      ],
      "description": "The first row that shows a problem; null if none does."
    }
  },
  "required": [
    "schema",
    "correlation",
    "failed",
    "time",
    "timeQuality",
    "lastTime",
    "seconds",
    "server",
    "method",
    "url",
    "name",
    "user",
    "writer",
    "level",
    "rows",
    "problemRows",
    "firstProblem"
  ],
  "additionalProperties": false
}

"""##),
        ("ruleComplaint.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:ruleComplaint:1",
  "title": "fastctl.ruleComplaint/1: a complaint about a rule, by rules lint",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.ruleComplaint/1"
    },
    "severity": {
      "enum": [
        "error",
        "warning"
      ],
      "description": "How bad it is."
    },
    "file": {
      "type": "string",
      "description": "The file."
    },
    "line": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 1,
      "description": "The line, from 1; null if it is about the whole file."
    },
    "column": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 1,
      "description": "The column, from 1."
    },
    "message": {
      "type": "string",
      "description": "What is wrong."
    }
  },
  "required": [
    "schema",
    "severity",
    "file",
    "line",
    "column",
    "message"
  ],
  "additionalProperties": false
}

"""##),
        ("ruleEntry.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:ruleEntry:1",
  "title": "fastctl.ruleEntry/1: a rule, by rules list",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.ruleEntry/1"
    },
    "rule": {
      "type": "string",
      "pattern": "^FS[0-9]{4}$",
      "description": "The ID of the rule."
    },
    "slug": {
      "type": "string",
      "description": "The short name of the rule."
    },
    "title": {
      "type": "string",
      "description": "What the rule is about."
    },
    "revision": {
      "type": "integer",
      "minimum": 1,
      "description": "The revision."
    },
    "status": {
      "enum": [
        "experimental",
        "test",
        "stable",
        "deprecated"
      ],
      "description": "How well it is proved."
    },
    "kind": {
      "enum": [
        "failure",
        "symptom",
        "noise"
      ],
      "description": "Whether it tells failures, or rows that mean nothing."
    },
    "category": {
      "type": "string",
      "description": "The category."
    },
    "severity": {
      "enum": [
        "critical",
        "error",
        "warning",
        "info",
        null
      ],
      "description": "The worst severity of its findings; null for noise."
    },
    "logs": {
      "enum": [
        "required",
        "optional",
        null
      ],
      "description": "Whether it needs logs."
    },
    "webConfig": {
      "enum": [
        "required",
        "optional",
        null
      ],
      "description": "Whether it needs web.config files."
    },
    "supersedes": {
      "type": "array",
      "items": {
        "type": "string"
      },
      "description": "Rules that do not report what this one reports."
    },
    "builtIn": {
      "type": "boolean",
      "description": "Whether it is part of the program."
    },
    "file": {
      "type": "string",
      "description": "The file it is in."
    }
  },
  "required": [
    "schema",
    "rule",
    "slug",
    "title",
    "revision",
    "status",
    "kind",
    "category",
    "severity",
    "logs",
    "webConfig",
    "supersedes",
    "builtIn",
    "file"
  ],
  "additionalProperties": false
}

"""##),
        ("ruleTest.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:ruleTest:1",
  "title": "fastctl.ruleTest/1: the result of a rule's tests, by rules test",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.ruleTest/1"
    },
    "rule": {
      "type": "string",
      "description": "The ID of the rule."
    },
    "passed": {
      "type": "boolean",
      "description": "Whether all tests pass and no mutant goes unnoticed."
    },
    "tests": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "name": {
            "type": "string",
            "description": "The name of the test."
          },
          "file": {
            "type": "string",
            "description": "The file it is in."
          },
          "line": {
            "type": "integer",
            "minimum": 1,
            "description": "Its line."
          },
          "passed": {
            "type": "boolean",
            "description": "Whether it passes."
          },
          "differences": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "description": "What differs from what it expects."
          }
        },
        "required": [
          "name",
          "file",
          "line",
          "passed",
          "differences"
        ],
        "additionalProperties": false
      },
      "description": "The tests; empty if the rule has none, which is a failure."
    },
    "mutants": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "Changes of the rule that were tried; null without --mutate."
    },
    "survivors": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "change": {
            "type": "string",
            "description": "The change."
          },
          "line": {
            "type": [
              "integer",
              "null"
            ],
            "minimum": 1,
            "description": "Its line in the file of the rule; null if it is not known."
          },
          "redundant": {
            "type": "boolean",
            "description": "Whether no test could notice it."
          }
        },
        "required": [
          "change",
          "line",
          "redundant"
        ],
        "additionalProperties": false
      },
      "description": "Changes that no test notices."
    }
  },
  "required": [
    "schema",
    "rule",
    "passed",
    "tests",
    "mutants",
    "survivors"
  ],
  "additionalProperties": false
}

"""##),
        ("secondLook.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:secondLook:1",
  "title": "fastctl.secondLook/1: a document that is not as a job left it, by verify",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.secondLook/1"
    },
    "id": {
      "type": "string",
      "description": "The ID."
    },
    "collection": {
      "type": "string",
      "description": "The collection."
    },
    "routing": {
      "type": [
        "string",
        "null"
      ],
      "description": "The routing that the input gave; null if it gave none."
    },
    "operation": {
      "enum": [
        "remove",
        "add",
        "update"
      ],
      "description": "The job's last operation on the document."
    },
    "difference": {
      "enum": [
        "present",
        "gone",
        "changed"
      ],
      "description": "present: it was removed, and is there again; gone: it was written, and is not there; changed: it is not as it was written."
    }
  },
  "required": [
    "schema",
    "id",
    "collection",
    "routing",
    "operation",
    "difference"
  ],
  "additionalProperties": false
}

"""##),
        ("slow.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:slow:1",
  "title": "fastctl.slow/1: slow requests and scopes, by logs slow",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.slow/1"
    },
    "files": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/file"
      },
      "description": "The files."
    },
    "events": {
      "type": "integer",
      "minimum": 0,
      "description": "Events that begin or end a request or a scope."
    },
    "requests": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/scope"
      },
      "description": "Requests and jobs, the greatest sum of durations first."
    },
    "scopes": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/scope"
      },
      "description": "Scopes within them."
    },
    "slowest": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "name": {
            "type": "string",
            "description": "The name, as written."
          },
          "request": {
            "type": "boolean",
            "description": "Whether this is a whole request or job."
          },
          "seconds": {
            "type": "number",
            "minimum": 0,
            "description": "How long it took, in seconds."
          },
          "time": {
            "type": [
              "string",
              "null"
            ],
            "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
            "description": "When it ended; null if it is not known"
          },
          "server": {
            "type": [
              "string",
              "null"
            ],
            "description": "The server."
          },
          "correlation": {
            "type": [
              "string",
              "null"
            ],
            "description": "The correlation."
          },
          "file": {
            "type": "string",
            "description": "The file, as it was named or found."
          },
          "line": {
            "type": "integer",
            "minimum": 1,
            "description": "The first line, from 1."
          },
          "lineEnd": {
            "type": "integer",
            "minimum": 1,
            "description": "The last line."
          }
        },
        "required": [
          "name",
          "request",
          "seconds",
          "time",
          "server",
          "correlation",
          "file",
          "line",
          "lineEnd"
        ],
        "additionalProperties": false
      },
      "description": "The slowest single ones."
    },
    "quality": {
      "$ref": "#/$defs/quality"
    },
    "redaction": {
      "oneOf": [
        {
          "type": "null"
        },
        {
          "$ref": "#/$defs/redaction"
        }
      ],
      "description": "What was masked; null if everything is shown and nobody asked for that."
    }
  },
  "required": [
    "schema",
    "files",
    "events",
    "requests",
    "scopes",
    "slowest",
    "quality",
    "redaction"
  ],
  "additionalProperties": false,
  "$defs": {
    "quality": {
      "type": "object",
      "description": "How well the logs were read.",
      "properties": {
        "lines": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines that were read."
        },
        "records": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows, parts of split messages included."
        },
        "parts": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows that continue a split message."
        },
        "continuations": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines that continue the row before them."
        },
        "headers": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines with the titles of columns."
        },
        "blank": {
          "type": "integer",
          "minimum": 0,
          "description": "Blank lines."
        },
        "notUnderstood": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines that belong to no event."
        },
        "orphans": {
          "type": "integer",
          "minimum": 0,
          "description": "Messages that begin before what was read."
        },
        "clockSteps": {
          "type": "integer",
          "minimum": 0,
          "description": "Times that a server's clock was set back."
        },
        "inferred": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows without columns, whose fields were inferred."
        },
        "limits": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "limit": {
                "type": "string",
                "description": "The name of the limit. Names may be added."
              },
              "count": {
                "type": "integer",
                "minimum": 0,
                "description": "How often it was reached."
              },
              "maximum": {
                "type": "integer",
                "minimum": 0,
                "description": "The limit."
              }
            },
            "required": [
              "limit",
              "count",
              "maximum"
            ],
            "additionalProperties": false
          },
          "description": "Limits that were reached; numbers may then be bounds."
        }
      },
      "required": [
        "lines",
        "records",
        "parts",
        "continuations",
        "headers",
        "blank",
        "notUnderstood",
        "orphans",
        "clockSteps",
        "inferred",
        "limits"
      ],
      "additionalProperties": false
    },
    "file": {
      "type": "object",
      "description": "One file of the logs.",
      "properties": {
        "name": {
          "type": "string",
          "description": "The file, as it was named or found."
        },
        "server": {
          "type": [
            "string",
            "null"
          ],
          "description": "The server, from the file's name; null if it does not say."
        },
        "bytes": {
          "type": "integer",
          "minimum": 0,
          "description": "Bytes that were read."
        },
        "records": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows in it that were selected."
        },
        "firstTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The earliest time in it; null if it is not known"
        },
        "lastTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The latest time in it; null if it is not known"
        },
        "skipped": {
          "type": "boolean",
          "description": "Whether it was not opened, because by its name it lies outside the window."
        },
        "unreadBytes": {
          "type": "integer",
          "minimum": 0,
          "description": "Bytes that were not read, because by samples they lie outside the window."
        },
        "incomplete": {
          "type": "boolean",
          "description": "Whether it was not read to its end."
        },
        "notes": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Sentences for people about how it was read."
        }
      },
      "required": [
        "name",
        "server",
        "bytes",
        "records",
        "firstTime",
        "lastTime",
        "skipped",
        "unreadBytes",
        "incomplete",
        "notes"
      ],
      "additionalProperties": false
    },
    "scope": {
      "type": "object",
      "description": "Durations of the scopes of one name.",
      "properties": {
        "key": {
          "type": "string",
          "description": "Method and path, or the name of the scope, without what differs from one time to the next."
        },
        "count": {
          "type": "integer",
          "minimum": 0,
          "description": "How often it was left."
        },
        "p50": {
          "type": [
            "number",
            "null"
          ],
          "minimum": 0,
          "description": "The median duration in seconds; null if it was never left."
        },
        "p95": {
          "type": [
            "number",
            "null"
          ],
          "minimum": 0,
          "description": "The 95th percentile of durations in seconds; null if it was never left."
        },
        "max": {
          "type": [
            "number",
            "null"
          ],
          "minimum": 0,
          "description": "The longest duration in seconds; null if it was never left."
        },
        "total": {
          "type": [
            "number",
            "null"
          ],
          "minimum": 0,
          "description": "The sum of durations in seconds; null if it was never left."
        },
        "open": {
          "type": "integer",
          "minimum": 0,
          "description": "How often it was entered and not left, as far as the logs show."
        },
        "request": {
          "type": "boolean",
          "description": "Whether this is a whole request or job, not a part of one."
        }
      },
      "required": [
        "key",
        "count",
        "p50",
        "p95",
        "max",
        "total",
        "open",
        "request"
      ],
      "additionalProperties": false
    },
    "redaction": {
      "type": "object",
      "description": "What was masked.",
      "properties": {
        "applied": {
          "type": "boolean",
          "description": "Whether names and secrets were masked; false says that the report was asked to show them."
        },
        "keyed": {
          "type": "boolean",
          "description": "Whether pseudonyms are the same in every run with the same key."
        },
        "values": {
          "type": "integer",
          "minimum": 0,
          "description": "Values that were masked."
        },
        "names": {
          "type": "object",
          "description": "Names that were told apart, by what they are.",
          "properties": {
            "user": {
              "type": "integer",
              "minimum": 0,
              "description": "Users."
            },
            "domain": {
              "type": "integer",
              "minimum": 0,
              "description": "Domains."
            },
            "host": {
              "type": "integer",
              "minimum": 0,
              "description": "Hosts."
            },
            "ip": {
              "type": "integer",
              "minimum": 0,
              "description": "IP addresses."
            },
            "mac": {
              "type": "integer",
              "minimum": 0,
              "description": "MAC addresses."
            },
            "sid": {
              "type": "integer",
              "minimum": 0,
              "description": "SIDs."
            },
            "path": {
              "type": "integer",
              "minimum": 0,
              "description": "Parts of paths."
            }
          },
          "additionalProperties": false
        },
        "secrets": {
          "type": "integer",
          "minimum": 0,
          "description": "Secrets that were removed."
        },
        "queryValues": {
          "type": "integer",
          "minimum": 0,
          "description": "Values of queries that were removed."
        },
        "isAtLeast": {
          "type": "boolean",
          "description": "Whether there were more names than can be told apart."
        },
        "notLookedFor": {
          "type": "array",
          "items": {
            "type": "string",
            "description": "A kind of names."
          },
          "description": "What was not looked for."
        }
      },
      "required": [
        "applied",
        "keyed",
        "values",
        "names",
        "secrets",
        "queryValues",
        "isAtLeast",
        "notLookedFor"
      ],
      "additionalProperties": false
    }
  }
}

"""##),
        ("source.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:source:1",
  "title": "fastctl.source/1: what a source of documents is, and how much it has, by source show and source count",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.source/1"
    },
    "source": {
      "type": "string",
      "description": "The address of the source, as it was typed."
    },
    "ordered": {
      "type": "boolean",
      "description": "Whether entries come in ascending order of the bytes of their IDs."
    },
    "versionKey": {
      "type": [
        "string",
        "null"
      ],
      "description": "The top-level key of the documents that holds their version; null if no key does."
    },
    "documents": {
      "type": "boolean",
      "description": "Whether entries have documents, and not only IDs."
    },
    "firstID": {
      "type": [
        "string",
        "null"
      ],
      "description": "The ID of the first entry; null if there is none, or if it was not asked for."
    },
    "firstVersion": {
      "type": [
        "string",
        "null"
      ],
      "description": "The version of the first entry; null if it has none, or if it was not asked for."
    },
    "keys": {
      "type": [
        "array",
        "null"
      ],
      "items": {
        "type": "string"
      },
      "description": "The top-level keys of the first entry's document, in its order; null if there is none."
    },
    "entries": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "The number of entries; null if they were not counted."
    },
    "rejected": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "How much is no entry, or can't be read; null if it was not counted."
    }
  },
  "required": [
    "schema",
    "source",
    "ordered",
    "versionKey",
    "documents",
    "firstID",
    "firstVersion",
    "keys",
    "entries",
    "rejected"
  ],
  "additionalProperties": false
}

"""##),
        ("summary.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:summary:1",
  "title": "fastctl.summary/1: what logs contain, by logs summary",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.summary/1"
    },
    "files": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/file"
      },
      "description": "The files."
    },
    "records": {
      "type": "integer",
      "minimum": 0,
      "description": "Rows, parts of split messages included."
    },
    "events": {
      "type": "integer",
      "minimum": 0,
      "description": "Events."
    },
    "firstTime": {
      "type": [
        "string",
        "null"
      ],
      "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
      "description": "The time of the first event; null if it is not known"
    },
    "lastTime": {
      "type": [
        "string",
        "null"
      ],
      "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
      "description": "The time of the last event; null if it is not known"
    },
    "levels": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/count"
      },
      "description": "Levels, the worst first."
    },
    "areas": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/count"
      },
      "description": "Areas, the most frequent first."
    },
    "categories": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/count"
      },
      "description": "Categories, the most frequent first."
    },
    "eventIDs": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/count"
      },
      "description": "Event IDs, the most frequent first."
    },
    "correlations": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "value": {
            "type": "string",
            "description": "The correlation."
          },
          "count": {
            "type": "integer",
            "minimum": 0,
            "description": "Its events."
          },
          "firstTime": {
            "type": [
              "string",
              "null"
            ],
            "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
            "description": "Its first time; null if it is not known"
          },
          "lastTime": {
            "type": [
              "string",
              "null"
            ],
            "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
            "description": "Its last time; null if it is not known"
          },
          "worstLevel": {
            "type": [
              "string",
              "null"
            ],
            "description": "The worst level of its events."
          }
        },
        "required": [
          "value",
          "count",
          "firstTime",
          "lastTime",
          "worstLevel"
        ],
        "additionalProperties": false
      },
      "description": "Requests with the most events."
    },
    "scopes": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/scope"
      },
      "description": "Scopes, the greatest sum of durations first."
    },
    "gaps": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "server": {
            "type": [
              "string",
              "null"
            ],
            "description": "The server."
          },
          "from": {
            "type": [
              "string",
              "null"
            ],
            "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
            "description": "The last time before; null if it is not known"
          },
          "until": {
            "type": [
              "string",
              "null"
            ],
            "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
            "description": "The first time after; null if it is not known"
          }
        },
        "required": [
          "server",
          "from",
          "until"
        ],
        "additionalProperties": false
      },
      "description": "Times in which a server wrote nothing."
    },
    "quality": {
      "$ref": "#/$defs/quality"
    },
    "correlationCount": {
      "type": "integer",
      "minimum": 0,
      "description": "The number of requests."
    },
    "correlationCountIsAtMost": {
      "type": "boolean",
      "description": "Whether requests may be counted twice: a limit was reached."
    },
    "histogram": {
      "type": "object",
      "description": "Events by time.",
      "properties": {
        "start": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "When the first step begins; null if it is not known"
        },
        "step": {
          "type": "number",
          "minimum": 0,
          "description": "The length of a step in seconds."
        },
        "events": {
          "type": "array",
          "items": {
            "type": "integer",
            "minimum": 0
          },
          "description": "Events in each step."
        },
        "abnormal": {
          "type": "array",
          "items": {
            "type": "integer",
            "minimum": 0
          },
          "description": "Events in each step at Monitorable or worse."
        }
      },
      "required": [
        "start",
        "step",
        "events",
        "abnormal"
      ],
      "additionalProperties": false
    },
    "redaction": {
      "oneOf": [
        {
          "type": "null"
        },
        {
          "$ref": "#/$defs/redaction"
        }
      ],
      "description": "What was masked; null if everything is shown and nobody asked for that."
    }
  },
  "required": [
    "schema",
    "files",
    "records",
    "events",
    "firstTime",
    "lastTime",
    "levels",
    "areas",
    "categories",
    "eventIDs",
    "correlations",
    "scopes",
    "gaps",
    "quality",
    "correlationCount",
    "correlationCountIsAtMost",
    "histogram",
    "redaction"
  ],
  "additionalProperties": false,
  "$defs": {
    "quality": {
      "type": "object",
      "description": "How well the logs were read.",
      "properties": {
        "lines": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines that were read."
        },
        "records": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows, parts of split messages included."
        },
        "parts": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows that continue a split message."
        },
        "continuations": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines that continue the row before them."
        },
        "headers": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines with the titles of columns."
        },
        "blank": {
          "type": "integer",
          "minimum": 0,
          "description": "Blank lines."
        },
        "notUnderstood": {
          "type": "integer",
          "minimum": 0,
          "description": "Lines that belong to no event."
        },
        "orphans": {
          "type": "integer",
          "minimum": 0,
          "description": "Messages that begin before what was read."
        },
        "clockSteps": {
          "type": "integer",
          "minimum": 0,
          "description": "Times that a server's clock was set back."
        },
        "inferred": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows without columns, whose fields were inferred."
        },
        "limits": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "limit": {
                "type": "string",
                "description": "The name of the limit. Names may be added."
              },
              "count": {
                "type": "integer",
                "minimum": 0,
                "description": "How often it was reached."
              },
              "maximum": {
                "type": "integer",
                "minimum": 0,
                "description": "The limit."
              }
            },
            "required": [
              "limit",
              "count",
              "maximum"
            ],
            "additionalProperties": false
          },
          "description": "Limits that were reached; numbers may then be bounds."
        }
      },
      "required": [
        "lines",
        "records",
        "parts",
        "continuations",
        "headers",
        "blank",
        "notUnderstood",
        "orphans",
        "clockSteps",
        "inferred",
        "limits"
      ],
      "additionalProperties": false
    },
    "file": {
      "type": "object",
      "description": "One file of the logs.",
      "properties": {
        "name": {
          "type": "string",
          "description": "The file, as it was named or found."
        },
        "server": {
          "type": [
            "string",
            "null"
          ],
          "description": "The server, from the file's name; null if it does not say."
        },
        "bytes": {
          "type": "integer",
          "minimum": 0,
          "description": "Bytes that were read."
        },
        "records": {
          "type": "integer",
          "minimum": 0,
          "description": "Rows in it that were selected."
        },
        "firstTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The earliest time in it; null if it is not known"
        },
        "lastTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The latest time in it; null if it is not known"
        },
        "skipped": {
          "type": "boolean",
          "description": "Whether it was not opened, because by its name it lies outside the window."
        },
        "unreadBytes": {
          "type": "integer",
          "minimum": 0,
          "description": "Bytes that were not read, because by samples they lie outside the window."
        },
        "incomplete": {
          "type": "boolean",
          "description": "Whether it was not read to its end."
        },
        "notes": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Sentences for people about how it was read."
        }
      },
      "required": [
        "name",
        "server",
        "bytes",
        "records",
        "firstTime",
        "lastTime",
        "skipped",
        "unreadBytes",
        "incomplete",
        "notes"
      ],
      "additionalProperties": false
    },
    "scope": {
      "type": "object",
      "description": "Durations of the scopes of one name.",
      "properties": {
        "key": {
          "type": "string",
          "description": "Method and path, or the name of the scope, without what differs from one time to the next."
        },
        "count": {
          "type": "integer",
          "minimum": 0,
          "description": "How often it was left."
        },
        "p50": {
          "type": [
            "number",
            "null"
          ],
          "minimum": 0,
          "description": "The median duration in seconds; null if it was never left."
        },
        "p95": {
          "type": [
            "number",
            "null"
          ],
          "minimum": 0,
          "description": "The 95th percentile of durations in seconds; null if it was never left."
        },
        "max": {
          "type": [
            "number",
            "null"
          ],
          "minimum": 0,
          "description": "The longest duration in seconds; null if it was never left."
        },
        "total": {
          "type": [
            "number",
            "null"
          ],
          "minimum": 0,
          "description": "The sum of durations in seconds; null if it was never left."
        },
        "open": {
          "type": "integer",
          "minimum": 0,
          "description": "How often it was entered and not left, as far as the logs show."
        },
        "request": {
          "type": "boolean",
          "description": "Whether this is a whole request or job, not a part of one."
        }
      },
      "required": [
        "key",
        "count",
        "p50",
        "p95",
        "max",
        "total",
        "open",
        "request"
      ],
      "additionalProperties": false
    },
    "count": {
      "type": "object",
      "properties": {
        "value": {
          "type": "string",
          "description": "The value."
        },
        "count": {
          "type": "integer",
          "minimum": 0,
          "description": "Events that have it."
        }
      },
      "required": [
        "value",
        "count"
      ],
      "additionalProperties": false
    },
    "redaction": {
      "type": "object",
      "description": "What was masked.",
      "properties": {
        "applied": {
          "type": "boolean",
          "description": "Whether names and secrets were masked; false says that the report was asked to show them."
        },
        "keyed": {
          "type": "boolean",
          "description": "Whether pseudonyms are the same in every run with the same key."
        },
        "values": {
          "type": "integer",
          "minimum": 0,
          "description": "Values that were masked."
        },
        "names": {
          "type": "object",
          "description": "Names that were told apart, by what they are.",
          "properties": {
            "user": {
              "type": "integer",
              "minimum": 0,
              "description": "Users."
            },
            "domain": {
              "type": "integer",
              "minimum": 0,
              "description": "Domains."
            },
            "host": {
              "type": "integer",
              "minimum": 0,
              "description": "Hosts."
            },
            "ip": {
              "type": "integer",
              "minimum": 0,
              "description": "IP addresses."
            },
            "mac": {
              "type": "integer",
              "minimum": 0,
              "description": "MAC addresses."
            },
            "sid": {
              "type": "integer",
              "minimum": 0,
              "description": "SIDs."
            },
            "path": {
              "type": "integer",
              "minimum": 0,
              "description": "Parts of paths."
            }
          },
          "additionalProperties": false
        },
        "secrets": {
          "type": "integer",
          "minimum": 0,
          "description": "Secrets that were removed."
        },
        "queryValues": {
          "type": "integer",
          "minimum": 0,
          "description": "Values of queries that were removed."
        },
        "isAtLeast": {
          "type": "boolean",
          "description": "Whether there were more names than can be told apart."
        },
        "notLookedFor": {
          "type": "array",
          "items": {
            "type": "string",
            "description": "A kind of names."
          },
          "description": "What was not looked for."
        }
      },
      "required": [
        "applied",
        "keyed",
        "values",
        "names",
        "secrets",
        "queryValues",
        "isAtLeast",
        "notLookedFor"
      ],
      "additionalProperties": false
    }
  }
}

"""##),
        ("suppression.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:suppression:1",
  "title": "fastctl.suppression/1: a suppression, by suppress list",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.suppression/1"
    },
    "rule": {
      "type": [
        "string",
        "null"
      ],
      "description": "The rule whose findings it hides; null if it names a kind of rows."
    },
    "cluster": {
      "type": [
        "string",
        "null"
      ],
      "description": "The ID of the kind of rows that it hides; null if it names a rule."
    },
    "reason": {
      "type": "string",
      "description": "Why it is hidden."
    },
    "owner": {
      "type": [
        "string",
        "null"
      ],
      "description": "Who answers for it; null if nobody is named."
    },
    "until": {
      "type": [
        "string",
        "null"
      ],
      "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
      "description": "The last day on which it holds; null if there is none."
    },
    "expired": {
      "type": "boolean",
      "description": "Whether that day is over."
    },
    "file": {
      "type": "string",
      "description": "The file that says it."
    },
    "line": {
      "type": "integer",
      "minimum": 1,
      "description": "The line where it begins."
    }
  },
  "required": [
    "schema",
    "rule",
    "cluster",
    "reason",
    "owner",
    "until",
    "expired",
    "file",
    "line"
  ],
  "additionalProperties": false
}

"""##),
        ("trace.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:trace:1",
  "title": "fastctl.trace/1: a request with its events, by logs trace",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.trace/1"
    },
    "correlation": {
      "type": [
        "string",
        "null"
      ],
      "description": "The correlation."
    },
    "name": {
      "type": [
        "string",
        "null"
      ],
      "description": "The name of the request; null if it is not known."
    },
    "servers": {
      "type": "array",
      "items": {
        "type": "string"
      },
      "description": "The servers that wrote about it."
    },
    "firstTime": {
      "type": [
        "string",
        "null"
      ],
      "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
      "description": "Its first time; null if it is not known"
    },
    "lastTime": {
      "type": [
        "string",
        "null"
      ],
      "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
      "description": "Its last time; null if it is not known"
    },
    "seconds": {
      "type": [
        "number",
        "null"
      ],
      "minimum": 0,
      "description": "How long it took; null if that is not known."
    },
    "worstLevel": {
      "type": [
        "string",
        "null"
      ],
      "description": "The worst level of its events."
    },
    "firstAbnormal": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 0,
      "description": "The index of the first event at Monitorable or worse; null if there is none."
    },
    "gaps": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "before": {
            "type": "integer",
            "minimum": 0,
            "description": "The index of the event after the gap."
          },
          "seconds": {
            "type": "number",
            "minimum": 0,
            "description": "How long it is."
          }
        },
        "required": [
          "before",
          "seconds"
        ],
        "additionalProperties": false
      },
      "description": "Long times between two events."
    },
    "events": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/logEvent"
      },
      "description": "Its events, in order."
    },
    "tree": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/node"
      },
      "description": "Its events in their scopes."
    }
  },
  "required": [
    "schema",
    "correlation",
    "name",
    "servers",
    "firstTime",
    "lastTime",
    "seconds",
    "worstLevel",
    "firstAbnormal",
    "gaps",
    "events",
    "tree"
  ],
  "additionalProperties": false,
  "$defs": {
    "logEvent": {
      "type": "object",
      "description": "An event of a log.",
      "properties": {
        "schema": {
          "const": "fastctl.logEvent/1"
        },
        "time": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The event's time; null if it is not known"
        },
        "timeQuality": {
          "enum": [
            "exact",
            "local",
            "ambiguous",
            "skipped",
            "timeOnly",
            "none"
          ],
          "description": "What is known of the time: exact has an offset from UTC; local is the server's clock; ambiguous and skipped are local, at the change of daylight saving; timeOnly has no date."
        },
        "server": {
          "type": [
            "string",
            "null"
          ],
          "description": "The server; null if it is not known."
        },
        "process": {
          "type": [
            "string",
            "null"
          ],
          "description": "The process."
        },
        "processID": {
          "type": [
            "string",
            "null"
          ],
          "description": "Its ID, as written."
        },
        "threadID": {
          "type": [
            "string",
            "null"
          ],
          "description": "The thread's ID, as written."
        },
        "area": {
          "type": [
            "string",
            "null"
          ],
          "description": "The area."
        },
        "category": {
          "type": [
            "string",
            "null"
          ],
          "description": "The category."
        },
        "eventID": {
          "type": [
            "string",
            "null"
          ],
          "description": "The event ID."
        },
        "level": {
          "type": [
            "string",
            "null"
          ],
          "description": "The level, as written."
        },
        "message": {
          "type": "string",
          "description": "The message, whole, with its line ends."
        },
        "correlation": {
          "type": [
            "string",
            "null"
          ],
          "description": "The correlation; null if there is none."
        },
        "file": {
          "type": "string",
          "description": "The file, as it was named or found."
        },
        "line": {
          "type": "integer",
          "minimum": 1,
          "description": "The first line, from 1."
        },
        "lineEnd": {
          "type": "integer",
          "minimum": 1,
          "description": "The last line."
        },
        "parts": {
          "type": "integer",
          "minimum": 1,
          "description": "How many rows the message was split into."
        },
        "inferred": {
          "type": "boolean",
          "description": "Whether the row has no columns, so that its fields were inferred."
        },
        "context": {
          "type": "boolean",
          "description": "Whether it is there because of a hit around it, and is none itself."
        }
      },
      "required": [
        "schema",
        "time",
        "timeQuality",
        "server",
        "process",
        "processID",
        "threadID",
        "area",
        "category",
        "eventID",
        "level",
        "message",
        "correlation",
        "file",
        "line",
        "lineEnd",
        "parts",
        "inferred",
        "context"
      ],
      "additionalProperties": false
    },
    "node": {
      "description": "An event, as its index into events from 0, or a scope.",
      "oneOf": [
        {
          "type": "integer",
          "minimum": 0
        },
        {
          "type": "object",
          "properties": {
            "scope": {
              "type": "string",
              "description": "The name of the scope."
            },
            "seconds": {
              "type": [
                "number",
                "null"
              ],
              "minimum": 0,
              "description": "How long it took; null if it was not left."
            },
            "entering": {
              "type": [
                "integer",
                "null"
              ],
              "minimum": 0,
              "description": "The index of the event that enters it."
            },
            "leaving": {
              "type": [
                "integer",
                "null"
              ],
              "minimum": 0,
              "description": "The index of the event that leaves it."
            },
            "children": {
              "type": "array",
              "items": {
                "$ref": "#/$defs/node"
              },
              "description": "What is within it."
            }
          },
          "required": [
            "scope",
            "seconds",
            "entering",
            "leaving",
            "children"
          ],
          "additionalProperties": false
        }
      ]
    }
  }
}

"""##),
        ("version.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:version:1",
  "title": "fastctl.version/1: the program and what it is built of, by version",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.version/1"
    },
    "name": {
      "const": "fastctl"
    },
    "version": {
      "type": "string",
      "description": "The version."
    },
    "libraries": {
      "type": "object",
      "additionalProperties": {
        "type": "string"
      },
      "description": "The versions of libraries, by name."
    }
  },
  "required": [
    "schema",
    "name",
    "version",
    "libraries"
  ],
  "additionalProperties": false
}

"""##),
        ("webConfig.1", ##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:fastctl:webConfig:1",
  "title": "fastctl.webConfig/1: settings in web.config files, by webconfig check",
  "type": "object",
  "properties": {
    "schema": {
      "const": "fastctl.webConfig/1"
    },
    "files": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string",
            "description": "The file."
          },
          "server": {
            "type": [
              "string",
              "null"
            ],
            "description": "The server it is from."
          },
          "zone": {
            "type": [
              "string",
              "null"
            ],
            "description": "The zone it is from."
          },
          "settings": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "name": {
                  "type": "string",
                  "description": "The setting in words."
                },
                "element": {
                  "type": "string",
                  "description": "The element's path."
                },
                "attribute": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "description": "The attribute; null if the element itself is the setting."
                },
                "location": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "description": "The path of the <location> around it; null if there is none."
                },
                "value": {
                  "type": "string",
                  "description": "Its value; never a secret."
                },
                "written": {
                  "type": "boolean",
                  "description": "Whether the file says so; otherwise it is the default."
                },
                "line": {
                  "type": [
                    "integer",
                    "null"
                  ],
                  "minimum": 1,
                  "description": "The line; null for a default."
                },
                "column": {
                  "type": [
                    "integer",
                    "null"
                  ],
                  "minimum": 1,
                  "description": "The column; null for a default."
                }
              },
              "required": [
                "name",
                "element",
                "attribute",
                "location",
                "value",
                "written",
                "line",
                "column"
              ],
              "additionalProperties": false
            },
            "description": "What it sets."
          }
        },
        "required": [
          "path",
          "server",
          "zone",
          "settings"
        ],
        "additionalProperties": false
      },
      "description": "The files."
    },
    "differences": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "name": {
            "type": "string",
            "description": "The setting in words."
          },
          "location": {
            "type": [
              "string",
              "null"
            ],
            "description": "The path of the <location>; null if there is none."
          },
          "values": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "value": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "description": "The value; null if these files do not have it."
                },
                "paths": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  },
                  "description": "The files."
                }
              },
              "required": [
                "value",
                "paths"
              ],
              "additionalProperties": false
            },
            "description": "The values, each with its files."
          }
        },
        "required": [
          "name",
          "location",
          "values"
        ],
        "additionalProperties": false
      },
      "description": "Settings that differ between the files."
    },
    "refused": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string",
            "description": "The file."
          },
          "line": {
            "type": [
              "integer",
              "null"
            ],
            "minimum": 1,
            "description": "The line of the error."
          },
          "reason": {
            "type": "string",
            "description": "Why."
          },
          "advice": {
            "type": [
              "string",
              "null"
            ],
            "description": "What to do."
          }
        },
        "required": [
          "path",
          "line",
          "reason",
          "advice"
        ],
        "additionalProperties": false
      },
      "description": "Files that were not read."
    },
    "findings": {
      "type": "array",
      "items": {
        "$ref": "#/$defs/finding"
      },
      "description": "Findings, worst first."
    },
    "exitCode": {
      "type": "integer",
      "minimum": 0,
      "description": "The exit code of the command."
    },
    "redaction": {
      "oneOf": [
        {
          "type": "null"
        },
        {
          "$ref": "#/$defs/redaction"
        }
      ],
      "description": "What was masked; null if everything is shown and nobody asked for that."
    }
  },
  "required": [
    "schema",
    "files",
    "differences",
    "refused",
    "findings",
    "exitCode",
    "redaction"
  ],
  "additionalProperties": false,
  "$defs": {
    "evidence": {
      "type": "object",
      "description": "An event, and where it stands.",
      "properties": {
        "file": {
          "type": "string",
          "description": "The file, as it was named or found."
        },
        "line": {
          "type": "integer",
          "minimum": 1,
          "description": "The first line, from 1."
        },
        "lineEnd": {
          "type": "integer",
          "minimum": 1,
          "description": "The last line."
        },
        "time": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The event's time; null if it is not known"
        },
        "server": {
          "type": [
            "string",
            "null"
          ],
          "description": "The event's server; null if it is not known."
        },
        "eventID": {
          "type": [
            "string",
            "null"
          ],
          "description": "The event's ID; null if it has none."
        },
        "correlation": {
          "type": [
            "string",
            "null"
          ],
          "description": "The request's correlation, in lowercase; null if there is none."
        },
        "text": {
          "type": "string",
          "description": "The message, or its beginning."
        },
        "truncated": {
          "type": "boolean",
          "description": "Whether the message is longer."
        }
      },
      "required": [
        "file",
        "line",
        "lineEnd",
        "time",
        "server",
        "eventID",
        "correlation",
        "text",
        "truncated"
      ],
      "additionalProperties": false
    },
    "config": {
      "type": "object",
      "description": "An element of a web.config.",
      "properties": {
        "file": {
          "type": "string",
          "description": "The web.config file."
        },
        "server": {
          "type": [
            "string",
            "null"
          ],
          "description": "The server it is from, as given on the command line."
        },
        "zone": {
          "type": [
            "string",
            "null"
          ],
          "description": "The zone it is from, as given on the command line."
        },
        "element": {
          "type": "string",
          "description": "The element's path: system.web/trace."
        },
        "location": {
          "type": [
            "string",
            "null"
          ],
          "description": "The path of the <location> around the element; null if there is none."
        },
        "line": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 1,
          "description": "The first line of the element, from 1; null if the file does not have it, so that its default applies."
        },
        "column": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 1,
          "description": "The column of its beginning, from 1."
        },
        "lineEnd": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 1,
          "description": "Its last line."
        },
        "columnEnd": {
          "type": [
            "integer",
            "null"
          ],
          "minimum": 1,
          "description": "The column of its end."
        },
        "attributes": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "name": {
                "type": "string",
                "description": "The name of the attribute."
              },
              "value": {
                "type": "string",
                "description": "Its value; three dots in place of a secret."
              },
              "line": {
                "type": "integer",
                "minimum": 1,
                "description": "Its line."
              },
              "column": {
                "type": "integer",
                "minimum": 1,
                "description": "Its column."
              }
            },
            "required": [
              "name",
              "value",
              "line",
              "column"
            ],
            "additionalProperties": false
          },
          "description": "The attributes that were examined."
        }
      },
      "required": [
        "file",
        "server",
        "zone",
        "element",
        "location",
        "line",
        "column",
        "lineEnd",
        "columnEnd",
        "attributes"
      ],
      "additionalProperties": false
    },
    "check": {
      "type": "object",
      "properties": {
        "text": {
          "type": "string",
          "description": "What to look at."
        },
        "command": {
          "type": [
            "string",
            "null"
          ],
          "description": "A command that shows it and changes nothing; null if there is none."
        }
      },
      "required": [
        "text",
        "command"
      ],
      "additionalProperties": false
    },
    "finding": {
      "type": "object",
      "description": "A finding of a rule.",
      "properties": {
        "rule": {
          "type": "string",
          "pattern": "^FS[0-9]{4}$",
          "description": "The ID of the rule."
        },
        "slug": {
          "type": "string",
          "description": "The short name of the rule."
        },
        "revision": {
          "type": "integer",
          "minimum": 1,
          "description": "The revision of the rule."
        },
        "verdict": {
          "type": "string",
          "description": "The name of the verdict that is true."
        },
        "severity": {
          "enum": [
            "critical",
            "error",
            "warning",
            "info"
          ],
          "description": "How bad it is."
        },
        "confidence": {
          "enum": [
            "possible",
            "likely",
            "certain"
          ],
          "description": "How sure it is."
        },
        "title": {
          "type": "string",
          "description": "What the rule is about."
        },
        "message": {
          "type": "string",
          "description": "What was found, in one sentence."
        },
        "symptoms": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "check": {
                "type": "string",
                "description": "The name of the check."
              },
              "text": {
                "type": "string",
                "description": "What it saw, in one sentence."
              },
              "count": {
                "type": "integer",
                "minimum": 0,
                "description": "How often."
              },
              "countIsAtLeast": {
                "type": "boolean",
                "description": "Whether it may have been more often: a limit was reached."
              }
            },
            "required": [
              "check",
              "text",
              "count",
              "countIsAtLeast"
            ],
            "additionalProperties": false
          },
          "description": "What users saw."
        },
        "captures": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "name": {
                "type": "string",
                "description": "The name in the rule."
              },
              "value": {
                "type": "string",
                "description": "The text in the log."
              }
            },
            "required": [
              "name",
              "value"
            ],
            "additionalProperties": false
          },
          "description": "What the rule took from the log."
        },
        "config": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/config"
          },
          "description": "The elements of web.config files that the finding rests on."
        },
        "farm": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What the farm's file says about it, in sentences."
        },
        "occurrences": {
          "type": "integer",
          "minimum": 0,
          "description": "The number of events that the finding rests on."
        },
        "occurrencesAreAtLeast": {
          "type": "boolean",
          "description": "Whether there may be more: a limit was reached."
        },
        "servers": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "The servers that wrote these events."
        },
        "firstTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The time of the first event; null if it is not known"
        },
        "lastTime": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
          "description": "The time of the last event; null if it is not known"
        },
        "evidence": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/evidence"
          },
          "description": "Some of these events, in order of time."
        },
        "decoded": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What codes and sentences in the text mean: certain."
        },
        "during": {
          "type": [
            "string",
            "null"
          ],
          "description": "What was being done, and the frame or the words that say so; null if that is not known."
        },
        "where": {
          "type": [
            "string",
            "null"
          ],
          "description": "Where it failed, a component or a frame: likely, or possible; null if the text does not say."
        },
        "mentions": {
          "type": [
            "string",
            "null"
          ],
          "description": "The component that the text mentions, with the words, if nothing says where it failed."
        },
        "needs": {
          "type": "array",
          "items": {
            "type": "string",
            "description": "Something it needs."
          },
          "description": "What the component can't work without."
        },
        "usually": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What the codes in the text mostly come from, in any farm; empty where a rule says why."
        },
        "causes": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "What it may come from: possible."
        },
        "checks": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/check"
          },
          "description": "What to look at next."
        },
        "explain": {
          "type": "object",
          "description": "What the finding means.",
          "properties": {
            "what": {
              "type": "string",
              "description": "What it is."
            },
            "why": {
              "type": "string",
              "description": "Why it happens."
            },
            "impact": {
              "type": [
                "string",
                "null"
              ],
              "description": "What it does to users; null if the rule does not say."
            }
          },
          "required": [
            "what",
            "why",
            "impact"
          ],
          "additionalProperties": false
        },
        "fix": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "step": {
                "type": "string",
                "description": "What to do."
              },
              "where": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "Where."
              },
              "effect": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "What else it does."
              },
              "undo": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "How to undo it."
              }
            },
            "required": [
              "step",
              "where",
              "effect",
              "undo"
            ],
            "additionalProperties": false
          },
          "description": "What helps, in steps."
        },
        "verify": {
          "type": [
            "string",
            "null"
          ],
          "description": "How to see that it helped; null if the rule does not say."
        },
        "references": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "title": {
                "type": "string",
                "description": "What it is called."
              },
              "url": {
                "type": [
                  "string",
                  "null"
                ],
                "description": "Where it is; null if it is not on the web."
              }
            },
            "required": [
              "title",
              "url"
            ],
            "additionalProperties": false
          },
          "description": "Sources."
        },
        "fingerprint": {
          "type": "string",
          "pattern": "^[0-9a-f]{16}$",
          "description": "The same for the same failure in any run, whatever the verdict and the log."
        },
        "baseline": {
          "enum": [
            "known",
            "new",
            null
          ],
          "description": "Whether the baseline has the finding; null without a baseline."
        },
        "usual": {
          "type": "boolean",
          "description": "Whether all kinds of rows that the finding rests on are in the file of what is normal, and no more frequent than there; below error it is then told in one line with others, and fails no run."
        },
        "filePlace": {
          "oneOf": [
            {
              "type": "null"
            },
            {
              "type": "object",
              "properties": {
                "file": {
                  "type": "string",
                  "description": "The file."
                },
                "line": {
                  "type": "integer",
                  "minimum": 1,
                  "description": "The line."
                },
                "column": {
                  "type": "integer",
                  "minimum": 1,
                  "description": "The column."
                }
              },
              "required": [
                "file",
                "line",
                "column"
              ],
              "additionalProperties": false
            }
          ],
          "description": "The place in a file of the program's own; null for findings in logs and configuration."
        }
      },
      "required": [
        "rule",
        "slug",
        "revision",
        "verdict",
        "severity",
        "confidence",
        "title",
        "message",
        "symptoms",
        "captures",
        "config",
        "farm",
        "occurrences",
        "occurrencesAreAtLeast",
        "servers",
        "firstTime",
        "lastTime",
        "evidence",
        "decoded",
        "during",
        "where",
        "mentions",
        "needs",
        "usually",
        "causes",
        "checks",
        "explain",
        "fix",
        "verify",
        "references",
        "fingerprint",
        "baseline",
        "usual",
        "filePlace"
      ],
      "additionalProperties": false
    },
    "redaction": {
      "type": "object",
      "description": "What was masked.",
      "properties": {
        "applied": {
          "type": "boolean",
          "description": "Whether names and secrets were masked; false says that the report was asked to show them."
        },
        "keyed": {
          "type": "boolean",
          "description": "Whether pseudonyms are the same in every run with the same key."
        },
        "values": {
          "type": "integer",
          "minimum": 0,
          "description": "Values that were masked."
        },
        "names": {
          "type": "object",
          "description": "Names that were told apart, by what they are.",
          "properties": {
            "user": {
              "type": "integer",
              "minimum": 0,
              "description": "Users."
            },
            "domain": {
              "type": "integer",
              "minimum": 0,
              "description": "Domains."
            },
            "host": {
              "type": "integer",
              "minimum": 0,
              "description": "Hosts."
            },
            "ip": {
              "type": "integer",
              "minimum": 0,
              "description": "IP addresses."
            },
            "mac": {
              "type": "integer",
              "minimum": 0,
              "description": "MAC addresses."
            },
            "sid": {
              "type": "integer",
              "minimum": 0,
              "description": "SIDs."
            },
            "path": {
              "type": "integer",
              "minimum": 0,
              "description": "Parts of paths."
            }
          },
          "additionalProperties": false
        },
        "secrets": {
          "type": "integer",
          "minimum": 0,
          "description": "Secrets that were removed."
        },
        "queryValues": {
          "type": "integer",
          "minimum": 0,
          "description": "Values of queries that were removed."
        },
        "isAtLeast": {
          "type": "boolean",
          "description": "Whether there were more names than can be told apart."
        },
        "notLookedFor": {
          "type": "array",
          "items": {
            "type": "string",
            "description": "A kind of names."
          },
          "description": "What was not looked for."
        }
      },
      "required": [
        "applied",
        "keyed",
        "values",
        "names",
        "secrets",
        "queryValues",
        "isAtLeast",
        "notLookedFor"
      ],
      "additionalProperties": false
    }
  }
}

"""##),
    ]
}
