// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "RemoveFromTable",
    dependencies: [
        .package(name: "fastctl", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "RemoveFromTable",
            dependencies: [
                .product(name: "ContentFeeding", package: "fastctl"),
                .product(name: "EngineSQLite", package: "fastctl"),
                .product(name: "FeedFormats", package: "fastctl"),
            ]
        )
    ]
)
