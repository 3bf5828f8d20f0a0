import ContentFeeding
import EngineHTTP

/// Reading whole documents, as far as Solr keeps them.
///
/// Solr gives back the fields that its schema keeps, as `stored` or in `docValues`. One that it only indexes can be
/// searched and does not come back, so a copy of a document made of this can be a part of it only.
extension SolrCollection {
    /// How many documents are asked for at first, while nobody knows how large they are.
    private static let firstDocuments = 16

    /// Reads documents in steps, so that a page of large ones needs no large reply.
    func get(_ ids: ArraySlice<DocumentID>, maximumBytes: Int) async throws(EngineError) -> DocumentPage {
        var page = DocumentPage(documents: [], looked: 0)
        var bytes = 0
        var rest = ids
        var step = Self.firstDocuments
        while !rest.isEmpty, page.looked == 0 || bytes < maximumBytes {
            let found = try await documents(of: rest.prefix(step), step: &step)
            for id in rest.prefix(step) where page.looked == 0 || bytes < maximumBytes {
                page.looked += 1
                guard let document = found[id] else { continue }
                bytes += document.json.count
                page.documents.append(document)
            }
            rest = ids.dropFirst(page.looked)
            step = min(step * 2, LookUp.maximumDocuments)
        }
        return page
    }

    /// Asks for fewer documents when the answer to many is too large.
    private func documents(
        of ids: ArraySlice<DocumentID>,
        step: inout Int
    ) async throws(EngineError) -> [DocumentID: StoredDocument] {
        do {
            return try await lookUp.find(ids, .documents)
        } catch {
            guard error.isTooLarge, ids.count > 1 else { throw await solr.error(error, about: collection) }
        }
        step = 1
        do {
            return try await lookUp.find(ids.prefix(1), .documents)
        } catch {
            throw await solr.error(error, about: collection)
        }
    }
}
