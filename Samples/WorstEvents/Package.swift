// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "WorstEvents",
    dependencies: [
        .package(name: "fastctl", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "WorstEvents",
            dependencies: [
                .product(name: "ULSLog", package: "fastctl")
            ]
        )
    ]
)
