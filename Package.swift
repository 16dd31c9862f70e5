// swift-tools-version: 6.2
// The package needs no network: everything outside this folder is a C library from the distribution.

import PackageDescription

let continuousIntegration = Context.environment["CI"] != nil

/// One constant for all Swift targets, so that no target is written in a softer language than its neighbours.
let settings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (continuousIntegration ? [.treatAllWarnings(as: .error)] : [])

/// The wire modules return and store spans; the compiler checks their lifetimes only with this feature.
let spanSettings = settings + [.enableExperimentalFeature("Lifetimes")]

func library(
  _ name: String, in folder: String = "", needs: [Target.Dependency] = [], settings: [SwiftSetting] = settings
) -> Target {
  .target(name: name, dependencies: needs, path: "Sources/\(folder)\(name)", swiftSettings: settings)
}

func tests(_ folder: String, needs: [Target.Dependency], settings: [SwiftSetting] = spanSettings) -> Target {
  .testTarget(name: "\(folder)Tests", dependencies: needs, path: "Tests/\(folder)", swiftSettings: settings)
}

let package = Package(
  name: "rolling-road",
  products: [
    .executable(name: "rollingroad", targets: ["rollingroad"])
  ],
  targets: [
    // System: what Swift cannot see.
    .target(name: "CLinux", path: "Sources/System/CLinux"),
    .systemLibrary(
      name: "CSQLite", path: "Sources/System/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CCurl", path: "Sources/System/CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(
      name: "COpenSSL", path: "Sources/System/COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),

    library("Base"),
    library("Database", needs: ["CSQLite"]),

    library("JSON", in: "Wire/", settings: spanSettings),
    library("HTTP1", in: "Wire/", settings: spanSettings),
    library("Contract", in: "Wire/", needs: ["JSON", "Base"], settings: spanSettings),

    library("CommandLine", in: "App/"),
    .executableTarget(
      name: "rollingroad", dependencies: ["CommandLine"], path: "Sources/App/rollingroad", swiftSettings: settings),

    // Not shipped: what the tests and the fuzzer share, the long fuzzer, the benchmarks.
    .target(
      name: "Support", dependencies: ["Base", "JSON", "HTTP1", "Contract"], path: "Tests/Support",
      swiftSettings: spanSettings),
    .executableTarget(
      name: "fuzz", dependencies: ["Support"], path: "Tests/Fuzz", swiftSettings: settings),
    .target(name: "AllocationCounter", path: "loadtest/allocations"),
    .executableTarget(
      name: "wire-bench", dependencies: ["JSON", "HTTP1", "Contract", "Base", "AllocationCounter"],
      path: "loadtest/wire", exclude: ["README.md"], swiftSettings: spanSettings),

    tests("System", needs: ["CLinux", "CSQLite", "CCurl", "COpenSSL"]),
    tests("Base", needs: ["Base", "Support"]),
    tests("Database", needs: ["Database", "CSQLite", "Support"]),
    tests("JSON", needs: ["JSON", "Support"]),
    tests("HTTP1", needs: ["HTTP1", "Support"]),
    tests("Contract", needs: ["Contract", "JSON", "Base", "Support"]),
    tests("CommandLine", needs: ["CommandLine"]),
    tests("Tidy", needs: []),
  ]
)
