// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "TestAFeeder",
    dependencies: [
        .package(name: "fastctl", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "TestAFeeder",
            dependencies: [
                .product(name: "ContentFeeding", package: "fastctl"),
                .product(name: "FeedingTestKit", package: "fastctl"),
            ]
        )
    ]
)
