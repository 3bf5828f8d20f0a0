/// What the words of a command line mean: the files to read.
public enum WebConfigInputs {
    /// The most files that are found in all.
    public static let maximumFiles = 1000

    /// How deep below a folder is searched; a site's own folders have three levels with a web.config.
    public static let maximumDepth = 8

    /// Finds the files that arguments of the form `[SERVER[/ZONE]=]PATH` name.
    ///
    /// A folder is searched for files called `web.config`, in any case, in the order of the names, and each of them has
    /// the label of the argument. Links in it are not followed.
    public static func find(_ arguments: [String]) throws(WebConfigError) -> [WebConfigSource] {
        var sources: [WebConfigSource] = []
        for argument in arguments {
            let source = try WebConfigSource(argument: argument)
            guard FileKind(path: source.path) == .folder else {
                sources.append(source)
                continue
            }
            var search = FolderSearch(source, maximumFiles: maximumFiles, maximumDepth: maximumDepth)
            sources += try search.run()
        }
        guard sources.count <= maximumFiles else {
            throw WebConfigError(
                code: .tooLarge,
                source: sources[maximumFiles],
                message: "it is one file too many: at most \(maximumFiles) are read",
                advice: "give fewer at once"
            )
        }
        return sources
    }
}
