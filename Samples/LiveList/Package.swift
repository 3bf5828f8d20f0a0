// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "LiveList",
    dependencies: [
        .package(name: "fastctl", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "LiveList",
            dependencies: [
                .product(name: "DistributorClient", package: "fastctl")
            ]
        )
    ]
)
