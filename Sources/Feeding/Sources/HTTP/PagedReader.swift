import ContentFeeding

/// A service that lists its entries page by page, each list saying where the next one begins.
protocol PagedService: Sendable {
    /// What one request returns.
    associatedtype List: Sendable

    /// Gets the list at a place; its successor's place is known then, and its entries need not be.
    func list(at place: String) async throws(SourceError) -> ListedPage<List>

    /// Returns a part of a list's entries; parts count from 0.
    func part(_ number: Int, of list: List) async throws(SourceError) -> PagePart
}

/// A list, and what comes after it.
struct ListedPage<List: Sendable>: Sendable {
    let list: List
    /// How many parts its entries are handed over in, none of them too large for memory; at least one.
    let partCount: Int
    /// Where the next list begins; `nil` after the last.
    let next: String?
}

/// Entries of a list.
struct PagePart: Sendable {
    var entries: [SourceEntry] = []
    var rejections: [InputRejection] = []
    /// The place after them, if they are not the last of their list.
    var next: String?
}

/// Reads a paged service to its end, getting the next list while the last one is worked on.
actor PagedReader<Service: PagedService>: SourceReader {
    private typealias Request = Task<Result<ListedPage<Service.List>, SourceError>, Never>

    private let service: Service
    private let name: String
    /// The place after what was handed over; `nil` after the last list.
    private var place: String?
    private var page: ListedPage<Service.List>?
    private var part = 0
    private var request: Request?
    private var circle: CircleCheck

    /// The place after the last page; no service has one like it.
    private static var end: String { "end" }
    /// The longest place, in bytes.
    private static var maximumPlace: Int { 16 << 10 }

    /// Gets the first list, so that a source that can't be read is known before anything is sent on its behalf.
    init(_ service: Service, named name: String, from place: SourcePlace) async throws(SourceError) {
        guard place.rawValue.utf8.count <= Self.maximumPlace else { throw Self.badPlace(name) }
        (self.service, self.name) = (service, name)
        circle = CircleCheck(place.rawValue)
        self.place = place.rawValue == Self.end ? nil : place.rawValue
        try await turn()
    }

    deinit {
        request?.cancel()
    }

    func next() async throws(SourceError) -> SourcePage? {
        if page == nil { try await turn() }
        guard let page else { return nil }
        let found: PagePart
        do throws(SourceError) {
            found = try await service.part(part, of: page.list)
        } catch {
            // The list may be what is wrong: it is asked for again.
            forgetPage()
            throw error
        }
        part += 1
        if part < page.partCount {
            place = found.next ?? place
        } else {
            place = page.next
            self.page = nil
            part = 0
        }
        return SourcePage(
            entries: found.entries,
            rejections: found.rejections,
            next: SourcePlace(rawValue: place ?? Self.end)
        )
    }

    /// Gets the list at the place, and asks for the one after it.
    private func turn() async throws(SourceError) {
        guard let place else { return }
        let request = request ?? ask(for: place)
        self.request = nil
        let result = await withTaskCancellationHandler {
            await request.value
        } onCancel: {
            request.cancel()
        }
        let page = try result.get()
        if let next = page.next {
            guard !next.isEmpty, next.utf8.count <= Self.maximumPlace else { throw Self.badPlace(name) }
            guard circle.isNew(next) else {
                throw SourceError(
                    .unusable,
                    "\(name) goes in a circle: it names a continuation that it has named before",
                    advice: "try again later"
                )
            }
            self.request = ask(for: next)
        }
        self.page = page
    }

    private func ask(for place: String) -> Request {
        Task { [service] in
            do throws(SourceError) {
                return .success(try await service.list(at: place))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Makes the next call get a list from the place after what was handed over.
    private func forgetPage() {
        request?.cancel()
        request = nil
        page = nil
        part = 0
        if let place { circle = CircleCheck(place) }
    }

    private static func badPlace(_ name: String) -> SourceError {
        SourceError(.unusable, "\(name): the place to go on at is empty or longer than \(maximumPlace) bytes")
    }
}

/// Notices that places repeat, however many lie between, and keeps one of them only (Brent's algorithm).
private struct CircleCheck {
    private var kept: String
    private var steps = 0
    private var limit = 1

    init(_ first: String) { kept = first }

    mutating func isNew(_ place: String) -> Bool {
        guard place != kept else { return false }
        steps += 1
        if steps == limit {
            kept = place
            steps = 0
            limit *= 2
        }
        return true
    }
}
