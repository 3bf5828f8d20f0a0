// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "CopyCollection",
    dependencies: [
        .package(name: "fastctl", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "CopyCollection",
            dependencies: [
                .product(name: "CollectionSync", package: "fastctl"),
                .product(name: "ContentFeeding", package: "fastctl"),
                .product(name: "EngineSQLite", package: "fastctl"),
            ]
        )
    ]
)
