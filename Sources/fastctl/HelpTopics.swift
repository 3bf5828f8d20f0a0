import ArgumentParsing
import CommandKit
import TextKit

/// The topics of `help`: facts that apply to many commands, each on its own page.
enum HelpTopics {
    static let all = [exitCodes, environment, targets, credentials, formats, times, filters]

    private static let exitCodes = HelpTopic(
        "exit-codes",
        "the meaning of each exit code",
        "Every command ends with one of these codes; the last line on standard error reports the reason.\n\n"
            + table(ExitStatus.allCases.map { ("\($0.rawValue)", $0.meaning) }, indent: 6)
    )

    private static let environment = HelpTopic(
        "environment",
        "the variables that are read",
        "Options take precedence over variables. Each option's help mentions its variable.\n\n"
            + Man.environment.map { "  \($0.name)\n      \($0.meaning)" }.joined(separator: "\n")
    )

    private static let targets = HelpTopic(
        "targets",
        "addresses of engines, and contexts",
        """
        A target is an engine at an address:

          sqlite:PATH                        the embedded index, one file
          opensearch+https://HOST:9200       OpenSearch
          elasticsearch+https://HOST:9200    Elasticsearch
          solr+https://HOST:8983/solr        Solr, standalone or SolrCloud
          distributor+https://HOST:13391     a content distributor in front of one of these

        Separate the nodes of a cluster with commas. Without TLS, use +http instead of +https. An address never \
        contains a user name, a password or a collection; --collection specifies the collection.

        The target comes from --target or --context, or else from FASTCTL_CONTEXT or FASTCTL_TARGET, or else from the \
        project's fastctl.yaml or your own settings; without any of these, it is the embedded index below \
        $XDG_DATA_HOME.

          fastctl contexts add prod --target opensearch+https://a:9200,b:9200 --protected
          fastctl contexts use prod
        """
    )

    private static let credentials = HelpTopic(
        "credentials",
        "where credentials come from",
        """
        Credentials are one line: USER:PASSWORD, Bearer TOKEN or ApiKey KEY. They never come from an argument, which \
        everyone on the machine can read.

          --credentials-file FILE        a file that only you can read
          --credentials-env NAME         a variable; FASTCTL_CREDENTIALS needs no option
          --credentials-helper COMMAND   a command that prints them
          --credentials-aws SOURCE       keys for signed requests: environment, profile:NAME, container, instance
          --source-credentials-file FILE a source's own, for 'add --source' and 'reconcile'

        If the server rejects the credentials (401), the file is read, or the helper run, once more. With a second \
        line, 'expires: 2026-11-23T15:00:00Z', they are renewed before they expire.
        """
    )

    private static let formats = HelpTopic(
        "formats",
        "input and output formats",
        """
        Documents are read as JSON Lines, CSV, TSV or Solr's XML, according to the file name or --format, and with \
        --format also as JSON arrays, _bulk requests, dumps of elasticdump and Solr's JSON; IDs are read one per line, \
        unless --format specifies another format. Input may be compressed with gzip, zstd, xz or bzip2.

        All commands share one set of output formats: text, json, ndjson, name, csv, markdown and, for reports on \
        logs, html, junit, sarif, github, azure, codequality, prometheus and uls, and for documents bulk, elasticdump and solr-xml. Each command's help lists those that \
        it supports. Reports and lists accept -o FORMAT=FILE, which may be repeated.

        With -o json, lists such as those of 'jobs list' and 'logs requests' are arrays, and reports such as those of \
        'logs summary' and 'logs slow' are objects. JSON objects specify their schema; 'fastctl schema NAME' prints it, \
        and 'fastctl schema' lists them.
        """
    )

    private static let times = HelpTopic(
        "times",
        "times, durations and windows",
        """
        A time is a day, a time of day, or both, written as in a log or in ISO 8601:

          2024-03-11   10:15   '2024-03-11 10:15:30.25'   2024-03-11T10:15:30Z   today   yesterday

        Before now: 15m, 2h, 3d, 1w. A time window is --since TIME --until TIME, or --around TIME±DURATION; 'logs compare' \
        accepts TIME..TIME. A window that ends on a day includes that day; one that ends at a time of day ends at that \
        instant.

        In most logs, rows do not specify a time zone. --tz Europe/Vienna, or --tz SERVER=ZONE for each server in \
        another zone, puts all events in their true order.
        """
    )

    private static let filters = HelpTopic(
        "filters",
        "selecting documents and events",
        """
        Documents: words and "phrases" (all must occur), --where NAME=VALUE for a field with exactly this value, and \
        --query EXPR for a query in the engine's own language.

        Log events: --since, --until, --around, --server, --process, --category, --event, --correlation, --level (and \
        worse), --contains TEXT and --match EXPRESSION; --not-process, --not-category, --not-event and --not-match \
        exclude events. Case is ignored; begin an expression with (?-i) to respect it. -C N shows the N events around \
        each hit in the same request.
        """
    )

    private static func table(_ rows: [(String, String)], indent: Int) -> String {
        rows.map { name, text in "  " + name + String(repeating: " ", count: max(1, indent - name.count)) + text }
            .joined(separator: "\n")
    }
}
