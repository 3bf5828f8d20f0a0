/// The first and the last of several times: of those with a date, if there is one.
struct TimeSpan: Sendable {
    private static let latest = PackedTime(rawValue: .max)
    private static let earliest = PackedTime(rawValue: .min)

    private var dated = (first: Self.latest, last: Self.earliest)
    private var timesOfDay = (first: Self.latest, last: Self.earliest)

    var first: PackedTime? {
        if dated.first <= dated.last { return dated.first }
        return timesOfDay.first <= timesOfDay.last ? timesOfDay.first : nil
    }

    var last: PackedTime? {
        if dated.first <= dated.last { return dated.last }
        return timesOfDay.first <= timesOfDay.last ? timesOfDay.last : nil
    }

    @inline(__always)
    mutating func add(_ time: PackedTime) {
        guard time.hasDate else { return addTimeOfDay(time) }
        if time < dated.first { dated.first = time }
        if time > dated.last { dated.last = time }
    }

    mutating func add(_ other: TimeSpan) {
        dated = (min(dated.first, other.dated.first), max(dated.last, other.dated.last))
        timesOfDay = (min(timesOfDay.first, other.timesOfDay.first), max(timesOfDay.last, other.timesOfDay.last))
    }

    @inline(never)
    private mutating func addTimeOfDay(_ time: PackedTime) {
        guard time.time.quality != .none else { return }
        timesOfDay = (min(timesOfDay.first, time), max(timesOfDay.last, time))
    }
}
