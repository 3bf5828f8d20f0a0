import Foundation

/// The folder of the samples.
let samples = URL(filePath: #filePath).appending(path: "../../../Samples").standardized
