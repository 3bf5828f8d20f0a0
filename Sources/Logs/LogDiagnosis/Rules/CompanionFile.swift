import Files
import YAML

/// A small YAML or JSON file that goes with a diagnosis: suppressions, expectations, a baseline, facts of a farm.
///
/// The file may be a symbolic link: unlike a rule, it is named by the person who runs the command.
struct CompanionFile {
    let path: String
    /// The most bytes that are read.
    let maximumBytes: Int
    /// The most values that are decoded: scalars, sequences and mappings together.
    var maximumValues = YAMLLimits().nodes

    private static let depth = 8

    /// Returns the text of the file, without a byte order mark.
    ///
    /// `remedy` says how such a file is written, for a file in another encoding.
    func text(remedy: String? = nil) throws(RuleError) -> String {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try SmallFile.read(path, maximum: maximumBytes, followsLinks: true)
        } catch {
            throw RuleError(file: path, message: "\(error.reason)")
        }
        let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        guard let text = String(validating: content, as: UTF8.self) else {
            throw RuleError(file: path, message: "it is not UTF-8" + (remedy.map { ": \($0)" } ?? ""))
        }
        return text
    }

    /// Decodes the text of the file; JSON is YAML too.
    func decode<Document: Decodable>(_ text: String) throws(RuleError) -> Document {
        var limits = YAMLLimits()
        limits.bytes = maximumBytes
        limits.nodes = maximumValues
        limits.depth = Self.depth
        do throws(YAMLError) {
            return try YAMLDecoder(limits: limits).decode(from: text)
        } catch {
            throw RuleError(error, file: path)
        }
    }
}
