// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "ResumeJob",
    dependencies: [
        .package(name: "fastctl", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "ResumeJob",
            dependencies: [
                .product(name: "ContentFeeding", package: "fastctl"),
                .product(name: "FeedingTestKit", package: "fastctl"),
                .product(name: "JobJournal", package: "fastctl"),
            ]
        )
    ]
)
