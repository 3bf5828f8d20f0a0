import ContentFeeding
import EngineHTTP
import JSONText

/// An index, or an alias, of an engine: fed, searched and read.
///
/// An index that is deleted under a running job is made anew by the engine when a document is added, unless
/// `action.auto_create_index` forbids it; a removal finds out.
struct OpenSearchCollection: ContentEngine {
    let collection: CollectionName
    let cluster: Cluster
    let binding: Binding
    let failovers: FailoverWatch

    /// How long the engine may go on with a request after it should have answered.
    static let quarantineSlack = Duration.seconds(30)
    /// Room in a body for what stands around IDs and documents: a bulk line has 24 bytes besides its ID.
    private static let frameShare = 8

    var capabilities: EngineCapabilities {
        var capabilities = EngineCapabilities()
        capabilities.appliedLevel = binding.isAsynchronous ? .submitted : .secured
        capabilities.quarantine = Self.quarantine(of: cluster)
        capabilities.maximumBatchesInFlight = 32
        capabilities.maximumBatchBytes = cluster.bodyLimit - cluster.bodyLimit / Self.frameShare
        capabilities.maximumIDBytes = 512
        return capabilities
    }

    static func quarantine(of cluster: Cluster) -> Duration { cluster.requestTimeout + quarantineSlack }

    /// Sends a batch as one bulk request.
    ///
    /// An update is read, merged here and written on the condition that nobody has changed the document since: the
    /// engine's own partial update neither removes a key nor replaces an object. If somebody has, it is not done now,
    /// and read again next time.
    func apply(_ batch: ContentBatch) async -> BatchReply {
        if let refusal = refusal(of: batch.items) { return .failed(refusal) }
        let plan: BulkPlan
        do throws(BatchTrouble) {
            plan = try await self.plan(for: batch.items)
        } catch {
            return .failed(error.failure)
        }
        return plan.actions.isEmpty ? plan.reply([]) : await send(plan)
    }

    private func send(_ plan: BulkPlan) async -> BatchReply {
        let body = BulkBody(plan.actions)
        guard body.bytes.count <= cluster.bodyLimit else {
            return .failed(.bodyTooLarge(body.bytes.count, limit: cluster.bodyLimit))
        }
        var request = EngineRequest(.post, path(to: "_bulk"), body: body.bytes)
        request.path = request.path.with("timeout", cluster.serverTimeout).with("filter_path", BulkReply.filter)
        request.contentType = "application/x-ndjson"
        // Only an alias is meant: without it the engine would make an index of the same name.
        if binding.isAlias, cluster.knowsRequiredAlias { request.path = request.path.with("require_alias", "true") }
        let reply: EngineReply
        do throws(RequestTrouble) {
            reply = try await cluster.reply(to: request)
        } catch {
            return .failed(BatchFailure(error.trouble))
        }
        do throws(JSONError) {
            return plan.reply(
                await settled(try BulkReply.answers(in: reply.body, to: plan.actions, isPlain: body.isPlain))
            )
        } catch {
            return .failed(BatchFailure(.unreadable(reply, "an answer that is no bulk reply: \(error)")))
        }
    }

    /// Whether a document was there that is missing now can't be told when the engine may have removed it twice.
    private func settled(_ answers: [ItemAnswer?]) async -> [ItemAnswer?] {
        guard answers.contains(where: { $0?.isAbsentSinceRecently ?? false }),
            await failovers.mayHaveRepeated(collection, in: cluster)
        else { return answers }
        return answers.map { $0?.isAbsentSinceRecently == true ? .result(.done(.gone)) : $0 }
    }

    func path(to endpoint: String) -> EnginePath { EnginePath(collection.rawValue, endpoint) }

    /// Why nothing of `items` can be sent there at all.
    private func refusal(of items: [ContentBatch.Item]) -> BatchFailure? {
        guard !binding.isSingle else { return nil }
        let many = "'\(collection)' is an alias of \(binding.indices.count) indices"
        guard let index = binding.writeIndex else {
            return .refusal("\(many), none of which is its write index; feed one of them by its name")
        }
        guard items.contains(where: { $0.operation.kind != .add }) else { return nil }
        return .refusal(
            "\(many), and what is removed or updated through it is looked for in '\(index)' alone; "
                + "name the index"
        )
    }
}

extension Cluster {
    /// Whether a bulk request can insist on an alias: Elasticsearch since 7.10, OpenSearch always.
    var knowsRequiredAlias: Bool {
        guard let version else { return false }
        return product == .openSearch || version >= EngineVersion(7, 10)
    }
}

extension BatchFailure {
    fileprivate static func refusal(_ message: String) -> BatchFailure {
        BatchFailure(.stop(.rejected), DocumentFailure(.rejectedByEngine, message, disposition: .operatorAction))
    }

    fileprivate static func bodyTooLarge(_ count: Int, limit: Int) -> BatchFailure {
        let message = "the request would have \(count) bytes, and the engine takes \(limit)"
        return BatchFailure(.tooLarge, DocumentFailure(.documentTooLarge, message))
    }
}
