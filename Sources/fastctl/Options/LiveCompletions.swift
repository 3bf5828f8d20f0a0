import ArgumentParsing
import ContentFeeding
import EngineCatalog
import JobJournal

extension ArgumentCompletion {
    /// The time that a shell may wait for a remote engine.
    private static let patience = Duration.seconds(1)

    /// The names of the target's collections, or none.
    static let collections = live { context in
        do {
            var resolver = TargetResolver(environment: context.environment)
            resolver.options[.target] = context.values["--target"]?.last
            resolver.context = context.values["--context"]?.last
            let target = try resolver.resolve()
            // A helper may ask for a password, or take a long time.
            guard !target.runsHelper else { return target.collections.map(\.name) }
            var options = EngineCatalog.Options()
            options.busyTimeout = .milliseconds(200)
            options.connection = target.connection
            options.limitRequests(to: patience)
            let store = try await EngineCatalog.openChecked(target.address, options: options, limit: patience)
            let names = try await store.list().map(\.name.rawValue)
            return target.collections.map(\.name) + names
        } catch {
            // A shell that completes a word has no use for the reason.
            return []
        }
    }

    /// The names of the jobs of remote targets.
    static let jobs = live { context in
        guard let folder = try? JournalOptions.directory(context.values["--journal"]?.last) else { return [] }
        return await JobShelf.folder(JobFolder(folder)).jobs().jobs.map(\.id.rawValue)
    }

    /// The names of farm profiles.
    static let profiles = live { context in
        let directory = ContextFiles.workingDirectory
        return (try? ContextFiles(environment: context.environment, directory: directory))?.profileNames ?? []
    }

    /// The names of contexts.
    static let contexts = live { context in
        let directory = ContextFiles.workingDirectory
        return (try? ContextFiles(environment: context.environment, directory: directory))?.names ?? []
    }
}
