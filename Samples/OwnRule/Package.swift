// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "OwnRule",
    dependencies: [
        .package(name: "fastctl", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "OwnRule",
            dependencies: [
                .product(name: "LogDiagnosis", package: "fastctl"),
                .product(name: "ULSLog", package: "fastctl"),
            ]
        )
    ]
)
