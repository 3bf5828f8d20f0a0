// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "SpeakEasy",
    dependencies: [
        .package(name: "fastctl", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "SpeakEasy",
            dependencies: [
                .product(name: "ContentFeeding", package: "fastctl"),
                .product(name: "EngineSQLite", package: "fastctl"),
                .product(name: "DocumentSources", package: "fastctl"),
            ]
        )
    ]
)
