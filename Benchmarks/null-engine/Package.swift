// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "null-engine",
    dependencies: [
        .package(name: "fastctl", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "null-engine",
            dependencies: [
                .product(name: "ContentFeeding", package: "fastctl"),
                .product(name: "JobJournal", package: "fastctl"),
            ]
        )
    ]
)
