// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "FeedingService",
    dependencies: [
        .package(name: "fastctl", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "FeedingService",
            dependencies: [
                .product(name: "ContentFeeding", package: "fastctl"),
                .product(name: "FeedFormats", package: "fastctl"),
                .product(name: "FeedJobs", package: "fastctl"),
            ]
        )
    ]
)
