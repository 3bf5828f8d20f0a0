// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "GuardedRemoval",
    dependencies: [
        .package(name: "fastctl", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "GuardedRemoval",
            dependencies: [
                .product(name: "ContentFeeding", package: "fastctl"),
                .product(name: "FeedJobs", package: "fastctl"),
                .product(name: "JobJournal", package: "fastctl"),
            ]
        )
    ]
)
