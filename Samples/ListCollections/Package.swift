// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "ListCollections",
    dependencies: [
        .package(name: "fastctl", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "ListCollections",
            dependencies: [
                .product(name: "ContentFeeding", package: "fastctl"),
                .product(name: "EngineCatalog", package: "fastctl"),
            ]
        )
    ]
)
