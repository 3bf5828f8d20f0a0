# The counts of `fastctl logs summary`, for mawk: rows by level, category and event ID; for each correlation the number
# of rows, the first and the last time, and the worst level. A row with a star in its time continues the one before and
# is not counted.
BEGIN {
    FS = OFS = "\t"
    split("VerboseEx Verbose Information Medium High Warning Monitorable Assert Unexpected Critical", names, " ")
    for (rank in names) severity[sprintf("%-8s", names[rank])] = rank
}

# The last line of a message with line ends has the correlation of the row above.
NF == 2 { if (level != "" && length($2) >= 36) request(substr($2, 1, 36)) }

NF >= 8 && substr($1, 3, 1) == "/" {
    if (substr($1, 23, 1) == "*") { level = ""; next }
    level = $7; time = $1
    levels[level]++; categories[$5]++; events[$6]++
    if (NF > 8 && length($NF) >= 36) request(substr($NF, 1, 36))
}

function request(name) {
    if (!(name in rows)) first[name] = time
    rows[name]++
    last[name] = time
    if (severity[level] > worst[name]) worst[name] = severity[level]
}

END {
    for (level in levels) print "level", levels[level], level
    for (category in categories) print "category", categories[category], category
    for (event in events) print "event", events[event], event
    for (name in rows) requests++
    print "correlations", requests
}
