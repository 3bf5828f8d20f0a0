import JSONText

extension ProgressReading {
    /// The words of one line, such as `37 % of 1.2 GiB, 512 MiB/s, 1,234,567 events, ETA 36 s`.
    public var words: String { words(hasRate: true, hasItems: true) }

    private func words(hasRate: Bool, hasItems: Bool) -> String {
        var parts = [share, hasRate ? byteRate : nil, hasItems ? items(hasRate: hasRate) : nil].compactMap(\.self)
        if hasRate, count.inFlight > 0 { parts.append("\(Quantity(grouped: count.inFlight)) in flight") }
        if count.errors > 0 { parts.append("\(Quantity(grouped: count.errors, "error", "errors"))") }
        if let (time, reason, givesUpAfter) = waiting {
            let seconds = ShortDuration(chosen: .seconds(time.components.seconds))
            parts.append(reason == nil ? "no answer from the engine for \(seconds)" : "no progress for \(seconds)")
            if let left = givesUpAfter {
                let rest = ShortDuration(chosen: .seconds(left.components.seconds).inMinutesIfLong)
                parts.append("gives up in \(rest)")
            }
            if let reason { parts[parts.count - 1] += ": \(reason)" }
        } else if let left {
            parts.append("ETA \(ShortDuration(chosen: left.inMinutesIfLong))")
        } else {
            parts.append("\(ShortDuration(chosen: .seconds(elapsed.components.seconds).inMinutesIfLong))")
        }
        return parts.joined(separator: ", ")
    }

    /// The line for a terminal of some columns, the last of which is left free so that no terminal goes to the next line.
    public func line(columns: Int?, _ layout: TextLayout) -> [UInt8] {
        var bytes: [UInt8] = []
        let room = max(1, (columns ?? 80) - 1)
        let forms = [words, words(hasRate: false, hasItems: true), words(hasRate: false, hasItems: false)]
        // What says least is left out first; a long failure is cut.
        let text = forms.first { $0.utf8.count <= room } ?? (waiting == nil ? forms[2] : forms[1])
        bytes.append(line: text, columns: room, layout)
        return bytes
    }

    private var share: String? {
        guard let percent = count.percent else {
            return count.bytes.flatMap { $0 > 0 ? "\(ShortByteCount($0))" : nil }
        }
        if let total = count.totalBytes, total > 0 { return "\(percent) % of \(ShortByteCount(total))" }
        return count.totalItems.map { "\(percent) % of \(Quantity(grouped: $0))" }
    }

    /// Bytes tell how fast logs are read; of a feed, operations do.
    private var byteRate: String? {
        guard count.kind == .events, let rate = bytesPerSecond else { return nil }
        return "\(ShortByteCount(Int(rate)))/s"
    }

    private func items(hasRate: Bool) -> String {
        let number = count.sides.map(words) ?? "\(Quantity(grouped: count.items))"
        guard count.kind != .events else { return "\(Quantity(grouped: count.items, "event", "events"))" }
        guard hasRate else { return "\(number) \(count.kind.rawValue)" }
        return "\(number) \(count.kind.rawValue)" + (itemsPerSecond.map { ", \(Quantity(grouped: Int($0)))/s" } ?? "")
    }

    private func words(_ sides: ProgressCount.Sides) -> String {
        let all = sides.collectionTotal.map { " of \(Quantity(grouped: $0))" } ?? ""
        return "source \(Quantity(grouped: sides.source)), collection \(Quantity(grouped: sides.collection))\(all)"
    }
}

extension ProgressReading {
    /// Appends `fastctl.progress/1` as one line.
    public func append(to bytes: inout [UInt8], isLast: Bool = false) {
        bytes.append(object: "fastctl.progress/1") { object in
            object.member("seconds", Seconds(milliseconds: elapsed.wholeMilliseconds))
            object.member("bytes", count.bytes)
            object.member("totalBytes", count.totalBytes)
            object.member("bytesPerSecond", bytesPerSecond.map { Int($0) })
            object.member("items", count.items)
            object.member("itemKind", count.kind.rawValue)
            object.member("totalItems", count.totalItems)
            object.member("sourceItems", count.sides?.source)
            object.member("collectionItems", count.sides?.collection)
            object.member("collectionTotal", count.sides?.collectionTotal)
            object.member("itemsPerSecond", itemsPerSecond.map { Int($0) })
            object.member("errors", count.errors)
            object.member("inFlight", count.inFlight)
            object.member("percent", count.percent)
            object.member("secondsLeft", left.map { Int($0.components.seconds) })
            object.member("waitingSeconds", waiting.map { Int($0.time.components.seconds) })
            object.member("waitingFor", waiting?.reason)
            object.member("givesUpInSeconds", waiting?.givesUpAfter.map { Int($0.components.seconds) })
            object.member("isLast", isLast)
        }
        bytes.append(0x0A)
    }
}

extension Duration {
    /// The duration in whole minutes if it is an hour or more.
    fileprivate var inMinutesIfLong: Duration {
        let seconds = components.seconds
        return seconds < 3600 ? self : .seconds(seconds / 60 * 60)
    }

    fileprivate var wholeMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
