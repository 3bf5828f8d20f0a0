// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "ConfigSettings",
    dependencies: [
        .package(name: "fastctl", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "ConfigSettings",
            dependencies: [
                .product(name: "WebConfig", package: "fastctl")
            ]
        )
    ]
)
