// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "FirstFeeder",
    dependencies: [
        .package(name: "fastctl", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "FirstFeeder",
            dependencies: [
                .product(name: "ContentFeeding", package: "fastctl"),
                .product(name: "EngineSQLite", package: "fastctl"),
            ]
        )
    ]
)
