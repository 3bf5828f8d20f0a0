import ArgumentParsing
import CommandKit
import TextKit

/// The topics of `help`: facts that many commands share, each on a page of its own.
enum HelpTopics {
    static let all = [exitCodes, environment, targets, credentials, formats, times, filters]

    private static let exitCodes = HelpTopic(
        "exit-codes",
        "the meaning of each exit code",
        "Every command ends with one of these codes; the last line on standard error gives the reason.\n\n"
            + table(ExitStatus.allCases.map { ("\($0.rawValue)", $0.meaning) }, indent: 6)
    )

    private static let environment = HelpTopic(
        "environment",
        "the variables that are read",
        "Options come before variables. Each option's help names its own variable.\n\n"
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

        Separate several nodes of one cluster with commas. Use +http in place of +https without TLS. An address never \
        holds a name, a password or a collection; --collection names that.

        The target is that of --target or --context, or else of FASTCTL_CONTEXT or FASTCTL_TARGET, or else of the \
        project's fastctl.yaml or your own settings, or else the embedded index below $XDG_DATA_HOME.

          fastctl contexts add prod --target opensearch+https://a:9200,b:9200 --protected
          fastctl contexts use prod
        """
    )

    private static let credentials = HelpTopic(
        "credentials",
        "where credentials come from",
        """
        Credentials are one line: USER:PASSWORD, Bearer TOKEN or ApiKey KEY. They never come from an argument, which \
        everybody on the machine can read.

          --credentials-file FILE        a file that only you can read
          --credentials-env NAME         a variable; FASTCTL_CREDENTIALS needs no option
          --credentials-helper COMMAND   a command that prints them
          --credentials-aws SOURCE       keys for signed requests: environment, profile:NAME, container, instance
          --source-credentials-file FILE a source's own, for 'add --source' and 'reconcile'

        A file and a helper are read again once when the server refuses what they gave (401). A second line, \
        'expires: 2026-11-23T15:00:00Z', renews them before that.
        """
    )

    private static let formats = HelpTopic(
        "formats",
        "forms of input and output",
        """
        Input of documents is JSON Lines, CSV, TSV or Solr's XML, by the file's name or --format; input of IDs is one on \
        each line unless --format names another form. Input may be packed with gzip, zstd, xz or bzip2.

        Output has one set of forms: text, json, ndjson, name, csv, markdown and, for reports on logs, html, junit, sarif, \
        github, azure, codequality, prometheus and uls. Each command's -o lists its own. Reports and lists take \
        -o FORM=FILE, several times in one run.

        JSON objects name their schema; 'fastctl schema NAME' prints it, and 'fastctl schema' lists them.
        """
    )

    private static let times = HelpTopic(
        "times",
        "times, durations and windows",
        """
        A time is a day, a time of day, or both, as in a log or in ISO 8601:

          2024-03-11   10:15   '2024-03-11 10:15:30.25'   2024-03-11T10:15:30Z   today   yesterday

        Counted from now: 15m, 2h, 3d. A window of time is --since TIME --until TIME, or --around TIME±DURATION; \
        'logs compare' takes TIME..TIME. A day as the end includes that day; a time of day ends at that instant.

        Rows have no zone in most logs. --tz Europe/Vienna, or --tz SERVER=ZONE for each server in another zone, puts \
        all events in their true order.
        """
    )

    private static let filters = HelpTopic(
        "filters",
        "selecting documents and events",
        """
        Documents: words and "phrases" (all must occur), --where NAME=VALUE for a field with exactly this value, and \
        --query EXPR for a query in the engine's own language.

        Events of logs: --since, --until, --around, --server, --process, --category, --event, --correlation, --level (and \
        worse), --contains TEXT and --match EXPRESSION; --not-process, --not-category, --not-event and --not-match leave \
        out. Case is ignored; begin an expression with (?-i) to respect it. -C N shows the N events around each hit in \
        the same request.
        """
    )

    private static func table(_ rows: [(String, String)], indent: Int) -> String {
        rows.map { name, text in "  " + name + String(repeating: " ", count: max(1, indent - name.count)) + text }
            .joined(separator: "\n")
    }
}
