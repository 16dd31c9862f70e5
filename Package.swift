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
    // Functions that return spans say whose memory they show; the compiler checks it only with this feature.
    .enableExperimentalFeature("Lifetimes"),
  ] + (continuousIntegration ? [.treatAllWarnings(as: .error)] : [])

/// The tests run the product as it is shipped, optimized (scripts/test, docs/decisions/0023). A package that depends on this
/// one never sees these flags.
let optimizesProduct = Context.environment["OPTIMIZE_PRODUCT"] != nil
/// What is built to be run is small where it calculates little (scripts/run, docker/Dockerfile, docs/decisions/0036).
let shrinksProduct = Context.environment["SHRINK_PRODUCT"] != nil
/// One job compiles all files of a target and writes its module: each further job would read all files, and expand the macros
/// of tests, again.
let buildSettings =
  settings
  + (optimizesProduct
    ? [.unsafeFlags(["-whole-module-optimization", "-num-threads", "1", "-no-emit-module-separately-wmo"])] : [])

/// How long a target calculates. What does little is not worth the time of the optimizer in tests, nor the room of quick code
/// in a program; what does it once in a run is not worth generic code made for each of its types either (docs/decisions/0036).
enum Load { case calculates, calculatesLittle, calculatesOnce }

/// What a target of the program waits for besides what it needs: without it they are compiled before the longest chain (see
/// `turn`), and a core idles beside its end.
func turn(ofTarget name: String) -> [Target.Dependency] {
  guard shrinksProduct else { return [] }
  switch name {
  case "Queue": return ["PostgresStore"]
  case "Scenario", "Engine", "DeviceLog": return ["Queue"]
  default: return []
  }
}

func library(
  _ name: String, in folder: String = "", _ load: Load = .calculates, needs: [Target.Dependency] = [],
  resources: [Resource] = []
) -> Target {
  var flags: [String] = []
  if optimizesProduct, load == .calculates { flags = ["-O"] }
  if shrinksProduct, load != .calculates { flags = ["-Osize"] }
  if shrinksProduct, load == .calculatesOnce {
    for pass in ["generic-specializer", "inline"] { flags += ["-Xllvm", "-sil-disable-pass=\(pass)"] }
  }
  let withoutRegularExpressions = ["-Xfrontend", "-disable-implicit-string-processing-module-import"]
  if optimizesProduct || shrinksProduct { flags += withoutRegularExpressions }
  return .target(
    name: name, dependencies: needs + turn(ofTarget: name), path: "Sources/\(folder)\(name)", resources: resources,
    swiftSettings: buildSettings + (flags.isEmpty ? [] : [.unsafeFlags(flags)]))
}

/// What tests wait for in CI besides what they need. SwiftPM compiles what is ready in reverse order of names; without this
/// tests would go before the longest chain (the server, `BackendStore`, `FleetSimulator`, `CommandLine`), and a core would
/// idle beside its end.
func turn(of folder: String) -> [Target.Dependency] {
  switch folder {
  case "Tidy": []
  case "IngestServer", "Engine": ["BackendStore"]
  case "BackgroundGeolocation", "Base", "Contract", "Documents": ["rollingroad"]
  default: ["AnswerCheck", "CurlTransport", "Host", "HTTPService", "Sensing"]
  }
}

func tests(_ folder: String, needs: [Target.Dependency]) -> Target {
  .testTarget(
    name: "\(folder)Tests", dependencies: needs + (continuousIntegration ? turn(of: folder) : []),
    path: "Tests/\(folder)", swiftSettings: buildSettings)
}

func bench(_ folder: String, needs: [Target.Dependency]) -> Target {
  .executableTarget(
    name: "\(folder)-bench", dependencies: needs, path: "loadtest/\(folder)", swiftSettings: buildSettings)
}

let package = Package(
  name: "rolling-road",
  products: [
    .executable(name: "rollingroad", targets: ["rollingroad"]),
    .library(name: "IngestServer", targets: ["IngestServer"]),
    .library(name: "BackgroundGeolocation", targets: ["BackgroundGeolocation"]),
  ],
  targets: [
    // System: what Swift cannot see. Debian keeps the headers where the compiler looks; scripts/prepare installs them.
    .target(name: "CLinux", path: "Sources/System/CLinux", publicHeadersPath: "."),
    .target(name: "CEmbedded", path: "Sources/System/CEmbedded", publicHeadersPath: "."),
    .target(
      name: "CPostgres", path: "Sources/System/CPostgres", publicHeadersPath: ".",
      linkerSettings: [.linkedLibrary("dl")]),
    .target(
      name: "CNATS", path: "Sources/System/CNATS", publicHeadersPath: ".", linkerSettings: [.linkedLibrary("dl")]),
    .target(
      name: "CKafka", path: "Sources/System/CKafka", publicHeadersPath: ".", linkerSettings: [.linkedLibrary("dl")]),
    .target(
      name: "CSQLite", path: "Sources/System/CSQLite", publicHeadersPath: ".",
      linkerSettings: [.linkedLibrary("sqlite3")]),
    .systemLibrary(name: "CCurl", path: "Sources/System/CCurl"),
    .systemLibrary(name: "COpenSSL", path: "Sources/System/COpenSSL"),
    .systemLibrary(name: "CZlib", path: "Sources/System/CZlib"),

    library("Threads", in: "System/", needs: ["CLinux"]),
    library("Shell", in: "System/", .calculatesLittle, needs: ["CLinux"]),

    library("Base"),
    library("Database", needs: ["Base", "CSQLite", "CPostgres"]),

    library("JSON", in: "Wire/"),
    library("HTTP1", in: "Wire/"),
    library("Gzip", in: "Wire/", needs: ["CZlib"]),
    library("Formats", in: "Wire/", needs: ["Contract", "JSON", "Base"]),
    library("Contract", in: "Wire/", needs: ["JSON", "Base"]),

    library("TLS", in: "Server/", needs: ["Shell", "Base", "COpenSSL"]),
    library("Network", in: "Server/", needs: ["TLS", "Threads", "Base", "CLinux"]),
    library("HTTPService", in: "Server/", .calculatesLittle, needs: ["Network", "HTTP1", "JSON", "Contract", "Base"]),
    library("Store", in: "Server/", needs: ["Database", "Shell", "Threads", "Base"]),
    library("PostgresStore", in: "Server/", .calculatesLittle, needs: ["Store", "Database", "Base"]),
    library(
      "IngestServer", in: "Server/",
      needs: [
        "Network", "TLS", "HTTP1", "Formats", "JSON", "Gzip", "Contract", "Store", "PostgresStore", "Database", "Shell",
        "Threads", "Base", "COpenSSL", "CEmbedded",
      ]),

    library(
      "Sinks",
      needs: [
        "Store", "TLS", "CurlTransport", "Upload", "Contract", "Shell", "JSON", "Base", "CNATS", "CKafka",
      ]),

    library("Vocabulary", in: "Device/", needs: ["Contract", "Base"]),
    library("Engine", in: "Device/", needs: ["Vocabulary", "Contract", "Base"]),
    library("Queue", in: "Device/", needs: ["Database", "Base"]),
    library("Upload", in: "Device/", needs: ["Vocabulary", "Queue", "Contract", "JSON", "Database", "Base"]),
    library("DeviceLog", in: "Device/", needs: ["Vocabulary", "Contract", "JSON", "Database", "Base"]),
    library(
      "Host", in: "Device/",
      needs: ["Engine", "Queue", "Upload", "DeviceLog", "Vocabulary", "Contract", "JSON", "Database", "Base"]),
    library(
      "BackgroundGeolocation", in: "Device/", .calculatesLittle,
      needs: [
        "Host", "Engine", "Queue", "Upload", "CurlTransport", "DeviceLog", "Vocabulary", "Contract", "JSON", "Gzip",
        "Formats", "Database", "Threads", "Base",
      ]),

    library(
      "CurlTransport", in: "Device/", .calculatesLittle,
      needs: ["Upload", "Contract", "HTTP1", "Gzip", "Threads", "Base", "CCurl", "CLinux"]),

    library(
      "Fidelity", in: "Device/", .calculatesLittle,
      needs: ["Engine", "DeviceLog", "Vocabulary", "Contract", "JSON", "Base"]),

    library("World", in: "Simulator/", needs: ["Formats", "Base"]),

    library("Sensing", in: "Simulator/", needs: ["World", "Vocabulary", "Contract", "Base"]),

    library("AnswerCheck", in: "Simulator/", needs: ["Upload", "Contract", "JSON", "Base"]),

    library(
      "Drive", in: "Simulator/", .calculatesOnce,
      needs: [
        "AnswerCheck", "Scenario", "Sensing", "World", "Formats", "Host", "Engine", "Queue", "Upload", "DeviceLog",
        "Vocabulary",
        "Contract", "JSON", "Gzip", "Database", "Base",
      ]),

    library(
      "BackendStore", in: "Simulator/",
      needs: ["Scenario", "AnswerCheck", "Upload", "Contract", "Shell", "JSON", "Database", "Sinks", "Base"]),

    library(
      "Conformance", in: "Simulator/", .calculatesOnce,
      needs: [
        "BackendStore", "AnswerCheck", "Formats", "Scenario", "Shell", "Host", "Engine", "Queue", "Upload",
        "Vocabulary",
        "CurlTransport", "Network",
        "HTTP1",
        "Contract", "JSON", "Gzip", "Database", "Threads", "Base",
      ]),

    library(
      "Explain", in: "Simulator/", .calculatesLittle,
      needs: ["BackendStore", "DeviceLog", "Vocabulary", "Contract", "JSON", "Base"]),

    // A target of its own: docs/decisions/0011.
    library(
      "Scenario", in: "Simulator/", .calculatesLittle, needs: ["JSON", "Contract", "Base"],
      resources: [.embedInCode("BuiltIn")]),

    // What judges a run of phones: a target of its own, so that it cannot see how they are simulated.
    library(
      "Oracle", in: "Simulator/",
      needs: [
        "BackendStore", "AnswerCheck", "Scenario", "World", "Host", "Engine", "Queue", "Upload", "CurlTransport",
        "Vocabulary", "Store", "Contract", "JSON", "Base",
      ]),

    library(
      "FleetSimulator", in: "Simulator/",
      needs: [
        "Oracle", "AnswerCheck", "BackendStore", "Sensing", "World", "Formats", "Scenario", "Host", "Engine", "Queue",
        "Upload",
        "CurlTransport", "DeviceLog", "Vocabulary", "IngestServer", "HTTPService", "Network", "TLS", "Store", "HTTP1",
        "Contract", "JSON",
        "Gzip",
        "Database", "Threads", "Base",
      ]),

    library(
      "ControlRoom", in: "Simulator/", .calculatesLittle,
      needs: [
        "FleetSimulator", "Scenario", "IngestServer", "HTTPService", "Network", "TLS", "HTTP1", "Contract", "JSON",
        "Threads", "Base",
      ]),

    library(
      "Telemetry", in: "Simulator/", .calculatesLittle,
      needs: [
        "FleetSimulator", "Oracle", "Scenario", "World", "Queue", "Upload", "CurlTransport", "Vocabulary", "Contract",
        "JSON",
        "Gzip",
        "Threads", "Base",
      ]),

    library("Reports", in: "Simulator/", .calculatesOnce, needs: ["FleetSimulator", "Oracle", "Scenario", "Base"]),

    library(
      "CommandLine", in: "App/", .calculatesOnce,
      needs: [
        "FleetSimulator", "Oracle", "ControlRoom", "Telemetry", "Reports", "Scenario", "Drive", "BackendStore",
        "Conformance",
        "Explain",
        "World",
        "Formats", "Gzip",
        "AnswerCheck",
        "CurlTransport", "Upload",
        "Vocabulary",
        "Contract", "Fidelity", "DeviceLog", "IngestServer", "Sinks", "Network", "TLS", "Store", "PostgresStore",
        "Database", "Shell",
        "JSON",
        "Threads", "Base",
        "CLinux",
      ]),
    .executableTarget(
      name: "rollingroad", dependencies: ["CommandLine"], path: "Sources/App/rollingroad", swiftSettings: settings),

    // Not shipped: what the tests and the fuzzer share, the long fuzzer, the benchmarks.
    .target(
      name: "Support", dependencies: ["Base", "JSON", "HTTP1", "Contract", "Vocabulary", "Threads", "CLinux"],
      path: "Tests/Support",
      swiftSettings: buildSettings),
    // Servers for tests that need a whole one, and the fuzzer of its tokens.
    .target(
      name: "ServerSupport", dependencies: ["IngestServer", "TLS", "JSON", "Support"], path: "Tests/ServerSupport",
      swiftSettings: buildSettings),
    // What only tests link, because it needs Testing.
    .target(name: "Threaded", dependencies: ["Threads"], path: "Tests/Threaded", swiftSettings: buildSettings),
    .executableTarget(
      name: "fuzz", dependencies: ["ServerSupport", "Support"], path: "Tests/Fuzz", swiftSettings: buildSettings),
    // Also what programs of the documentation are linked with.
    .executableTarget(
      name: "examples", dependencies: ["BackgroundGeolocation", "IngestServer"], path: "Tests/Examples",
      swiftSettings: buildSettings),
    .target(name: "AllocationCounter", path: "loadtest/allocations"),
    bench("wire", needs: ["JSON", "HTTP1", "Contract", "Base", "AllocationCounter"]),
    bench("database", needs: ["Database", "CSQLite"]),
    bench("base", needs: ["Base"]),
    .executableTarget(
      name: "sample-log",
      dependencies: ["Host", "Engine", "Queue", "Upload", "DeviceLog", "Vocabulary", "Contract", "JSON", "Base"],
      path: "loadtest/loganalyzer",
      exclude: ["run"], swiftSettings: buildSettings),
    bench("world", needs: ["World", "Base"]),
    bench("fleet", needs: ["FleetSimulator", "Oracle", "Base", "AllocationCounter"]),
    bench("room", needs: ["FleetSimulator", "Oracle", "Scenario", "Store", "Base"]),
    bench("network", needs: ["Network", "Base"]),
    bench("engine", needs: ["Engine", "Vocabulary", "Contract", "Base", "AllocationCounter"]),
    bench("queue", needs: ["Queue", "Base"]),
    bench("transport", needs: ["CurlTransport", "Upload", "Contract", "Base"]),
    bench(
      "host",
      needs: ["Host", "Engine", "Queue", "Upload", "Vocabulary", "Contract", "JSON", "Base", "AllocationCounter"]),
    .executableTarget(
      name: "join-bench", dependencies: ["FleetSimulator", "Oracle", "BackendStore", "Scenario", "Store", "Base"],
      path: "loadtest/join", exclude: ["run"], swiftSettings: buildSettings),
    .executableTarget(
      name: "postgres-bench", dependencies: ["PostgresStore", "Store", "Base"], path: "loadtest/postgres",
      exclude: ["floor.c", "run"], swiftSettings: buildSettings),
    bench("store", needs: ["Store", "Base", "CSQLite"]),

    .executableTarget(
      name: "crash", dependencies: ["Store", "PostgresStore", "HTTP1", "JSON", "Threads", "Base", "Support"],
      path: "loadtest/crash", exclude: ["run"], swiftSettings: buildSettings),

    .executableTarget(
      name: "misbehave-phone", dependencies: ["BackgroundGeolocation"], path: "loadtest/misbehave",
      exclude: ["run", "judge.py", "server.py", "misbehave.json5"], swiftSettings: buildSettings),

    .executableTarget(
      name: "abuse", dependencies: ["HTTP1", "Threads", "Base", "CLinux", "Support"], path: "loadtest/abuse",
      exclude: ["run"],
      swiftSettings: buildSettings),

    tests("System", needs: ["Threads", "Shell", "CLinux", "CSQLite", "CCurl", "COpenSSL", "Support"]),
    tests("Base", needs: ["Base", "Support"]),
    tests("Database", needs: ["Database", "CSQLite", "Support"]),
    tests("JSON", needs: ["JSON", "Support"]),
    tests("HTTP1", needs: ["HTTP1", "Support"]),
    tests("Gzip", needs: ["Gzip", "Support"]),
    tests("Contract", needs: ["Contract", "HTTP1", "JSON", "Base", "Support"]),
    tests("Engine", needs: ["Engine", "DeviceLog", "Vocabulary", "Contract", "JSON", "Base", "Support"]),
    tests("DeviceLog", needs: ["DeviceLog", "Vocabulary", "Contract", "JSON", "Database", "Base", "Support"]),
    tests("Fidelity", needs: ["Fidelity", "Engine", "DeviceLog", "Vocabulary", "Contract", "Base", "Support"]),
    tests("TLS", needs: ["TLS", "Network", "Threads", "COpenSSL", "IngestServer", "Base", "ServerSupport", "Support"]),
    tests("Network", needs: ["Network", "Threads", "Base", "CLinux", "Support"]),
    tests("HTTPService", needs: ["HTTPService", "Network", "HTTP1", "Base", "Support"]),
    // Stands between SQLite and the kernel in the process of the tests.
    .target(name: "SyncFaults", path: "Tests/SyncFaults"),
    tests("Store", needs: ["Store", "PostgresStore", "Database", "Threads", "Base", "Support", "SyncFaults"]),
    tests(
      "IngestServer",
      needs: [
        "IngestServer", "Network", "TLS", "Store", "PostgresStore", "Database", "HTTP1", "JSON", "Gzip", "Contract",
        "Threads",
        "Base", "ServerSupport", "Support",
      ]),
    // The cluster of librdkafka's own in the process of the tests.
    .target(name: "KafkaCluster", path: "Tests/KafkaCluster", linkerSettings: [.linkedLibrary("dl")]),
    tests(
      "Sinks",
      needs: [
        "Sinks", "BackendStore", "Scenario", "IngestServer", "Store", "CurlTransport", "TLS", "Contract", "Database",
        "JSON", "Threads", "Base", "ServerSupport", "Support", "KafkaCluster",
        "rollingroad",
      ]),
    tests("Formats", needs: ["Formats", "Contract", "JSON", "Base", "Support"]),
    tests("World", needs: ["World", "Formats", "Base", "Support"]),
    tests(
      "FleetSimulator",
      needs: [
        "FleetSimulator", "Oracle", "AnswerCheck", "BackendStore", "CurlTransport", "Scenario", "Host", "Engine",
        "Queue",
        "Upload", "Vocabulary",
        "IngestServer", "Network", "Store", "Sensing", "World", "Contract", "JSON", "Gzip", "Threads", "Base",
        "ServerSupport", "Support",
      ]),
    tests(
      "ControlRoom",
      needs: [
        "ControlRoom", "FleetSimulator", "Oracle", "Reports", "Scenario", "Store", "HTTP1", "JSON", "Threads", "Base",
        "Support",
      ]),
    tests(
      "Telemetry",
      needs: [
        "Telemetry", "FleetSimulator", "Oracle", "Scenario", "Queue", "Upload", "Vocabulary", "Store", "Contract",
        "JSON",
        "Threads", "Base", "Support",
      ]),
    tests("Drive", needs: ["Drive", "Scenario", "AnswerCheck", "Upload", "Vocabulary", "Contract", "JSON", "Base"]),
    tests(
      "Conformance",
      needs: [
        "Conformance", "BackendStore", "CurlTransport", "AnswerCheck", "Scenario", "Database", "Shell", "Contract",
        "HTTP1", "JSON", "Upload", "Threads", "Base", "Support", "Threaded",
      ]),
    tests("Explain", needs: ["Explain", "BackendStore", "DeviceLog", "Vocabulary", "Contract", "Base"]),
    tests("AnswerCheck", needs: ["AnswerCheck", "Upload", "Contract", "Base"]),
    tests("Reports", needs: ["Reports", "FleetSimulator", "Oracle", "Scenario", "Store", "Formats", "Base"]),
    tests("Scenario", needs: ["Scenario", "Contract", "JSON", "Base", "Support"]),
    tests(
      "CommandLine",
      needs: [
        "CommandLine", "FleetSimulator", "Oracle", "AnswerCheck", "Conformance", "World", "rollingroad", "CLinux",
        "CurlTransport",
        "IngestServer", "Sinks", "Store", "Database",
        "Upload", "Scenario", "JSON", "Gzip", "Base", "ServerSupport", "Support", "Threaded",
      ]),
    tests(
      "Upload",
      needs: ["Upload", "Queue", "Vocabulary", "Contract", "JSON", "Database", "Base", "Support", "AllocationCounter"]),
    tests(
      "Host",
      needs: [
        "Host", "Engine", "Queue", "Upload", "DeviceLog", "Vocabulary", "Contract", "IngestServer", "Network", "Store",
        "HTTP1", "JSON", "Database", "Base", "Support",
      ]),
    tests("Queue", needs: ["Queue", "Database", "Base", "Support"]),
    tests("CurlTransport", needs: ["CurlTransport", "Upload", "Contract", "Base", "Support"]),
    tests(
      "BackgroundGeolocation",
      needs: [
        "BackgroundGeolocation", "Engine", "Contract", "IngestServer", "JSON", "Vocabulary", "Base", "ServerSupport",
        "Support",
      ]),
    tests("Documents", needs: ["BackgroundGeolocation", "JSON", "Support"]),
    tests("OpenAPI", needs: ["IngestServer", "Contract", "HTTP1", "JSON", "ServerSupport", "Support"]),
    tests("Page", needs: ["IngestServer", "JSON", "rollingroad", "Base", "ServerSupport", "Support", "Threaded"]),
    tests(
      "Documentation",
      needs: ["CommandLine", "IngestServer", "rollingroad", "examples", "Threads", "ServerSupport", "Support"]),
    tests("Tidy", needs: []),
  ]
)
