/// Which module a target may import. The table is the drawing of the architecture: an arrow that is not here does not
/// exist, and a new target has to be entered before it compiles into anything.
enum Arrows {
  struct Target: Sendable {
    let name: String
    let folder: String
    let imports: Set<String>
  }

  /// Modules of the toolchain that hold no I/O and no clock: everybody may use them.
  static let everywhere: Set<String> = ["Synchronization"]

  static let targets: [Target] = [
    Target(name: "Threads", folder: "Sources/System/Threads", imports: ["CLinux", "Glibc"]),
    Target(name: "Base", folder: "Sources/Base", imports: ["Glibc"]),
    Target(name: "Database", folder: "Sources/Database", imports: ["CSQLite"]),
    Target(name: "JSON", folder: "Sources/Wire/JSON", imports: []),
    Target(name: "HTTP1", folder: "Sources/Wire/HTTP1", imports: []),
    Target(name: "Gzip", folder: "Sources/Wire/Gzip", imports: ["CZlib"]),
    Target(name: "Formats", folder: "Sources/Wire/Formats", imports: ["Base"]),
    Target(name: "Contract", folder: "Sources/Wire/Contract", imports: ["JSON", "Base"]),
    Target(name: "Network", folder: "Sources/Server/Network", imports: ["Threads", "Base", "CLinux", "Glibc"]),
    Target(
      name: "Store", folder: "Sources/Server/Store", imports: ["Database", "Contract", "Threads", "Base", "Glibc"]),
    Target(
      name: "IngestServer", folder: "Sources/Server/IngestServer",
      imports: ["Network", "HTTP1", "JSON", "Contract", "Store", "Base", "COpenSSL", "CEmbedded"]),
    Target(name: "Vocabulary", folder: "Sources/Device/Vocabulary", imports: ["Contract", "Base"]),
    Target(name: "Engine", folder: "Sources/Device/Engine", imports: ["Vocabulary", "Contract", "Base"]),
    Target(name: "Queue", folder: "Sources/Device/Queue", imports: ["Database", "Base"]),
    Target(
      name: "Upload", folder: "Sources/Device/Upload",
      imports: ["Vocabulary", "Queue", "Contract", "JSON", "Database", "Base"]),
    Target(
      name: "DeviceLog", folder: "Sources/Device/DeviceLog",
      imports: ["Vocabulary", "Contract", "JSON", "Database", "Base"]),
    Target(
      name: "Host", folder: "Sources/Device/Host",
      imports: ["Engine", "Queue", "Upload", "DeviceLog", "Vocabulary", "Contract", "JSON", "Database", "Base"]),
    Target(
      name: "BackgroundGeolocation", folder: "Sources/Device/BackgroundGeolocation",
      imports: [
        "Host", "Engine", "Queue", "Upload", "CurlTransport", "DeviceLog", "Vocabulary", "Contract", "JSON", "Gzip",
        "Formats", "Database", "Base", "FoundationEssentials",
      ]),
    Target(
      name: "CurlTransport", folder: "Sources/Device/CurlTransport",
      imports: ["Upload", "Contract", "HTTP1", "Gzip", "Threads", "Base", "CCurl", "CLinux", "Glibc"]),
    Target(
      name: "Fidelity", folder: "Sources/Device/Fidelity",
      imports: ["Engine", "DeviceLog", "Vocabulary", "Contract", "JSON", "Base"]),
    Target(name: "World", folder: "Sources/Simulator/World", imports: ["Formats", "Base"]),
    Target(
      name: "Sensing", folder: "Sources/Simulator/Sensing", imports: ["World", "Vocabulary", "Contract", "Base"]),
    Target(
      name: "AnswerCheck", folder: "Sources/Simulator/AnswerCheck", imports: ["Upload", "Contract", "JSON", "Base"]),
    Target(
      name: "Drive", folder: "Sources/Simulator/Drive",
      imports: [
        "AnswerCheck", "Scenario", "Sensing", "World", "Formats", "Host", "Engine", "Queue", "Upload", "DeviceLog",
        "Vocabulary",
        "Contract", "JSON", "Gzip", "Database", "Base",
      ]),
    Target(name: "Scenario", folder: "Sources/Simulator/Scenario", imports: ["JSON", "Contract", "Base"]),
    Target(
      name: "FleetSimulator", folder: "Sources/Simulator/FleetSimulator",
      imports: [
        "AnswerCheck", "Sensing", "World", "Formats", "Scenario", "Host", "Engine", "Queue", "Upload", "CurlTransport",
        "DeviceLog", "Vocabulary", "IngestServer", "Network", "Store", "HTTP1",
        "Contract", "JSON", "Gzip", "Database", "Base", "Synchronization",
      ]),
    Target(name: "Reports", folder: "Sources/Simulator/Reports", imports: ["FleetSimulator", "Scenario", "Base"]),
    Target(
      name: "CommandLine", folder: "Sources/App/CommandLine",
      imports: [
        "FleetSimulator", "Reports", "Scenario", "Drive", "World", "Formats", "AnswerCheck", "CurlTransport", "Upload",
        "Vocabulary",
        "Contract", "Fidelity", "DeviceLog", "IngestServer", "Network", "Store", "HTTP1", "JSON", "Threads",
        "Base", "CLinux", "Glibc",
      ]),
    Target(name: "rollingroad", folder: "Sources/App/rollingroad", imports: ["CommandLine", "Glibc"]),
  ]

  /// Base reads the clock and nothing else of the operating system, and it does so in one place.
  static let operatingSystemInBase = ["Sources/Base/Time/SystemClock.swift"]

  static func target(of path: String) -> Target? { targets.first { path.hasPrefix($0.folder + "/") } }

  static func violations(in file: SourceFile) -> [Violation] {
    guard let target = target(of: file.path) else {
      return [Violation(path: file.path, line: 1, rule: "belongs to no target of the architecture")]
    }
    return file.lines.enumerated().compactMap { index, line in
      guard let module = importedModule(line), !everywhere.contains(module) else { return nil }
      let allowed = target.imports.contains(module)
      let misplaced = target.name == "Base" && module == "Glibc" && !operatingSystemInBase.contains(file.path)
      guard !allowed || misplaced else { return nil }
      let rule =
        misplaced
        ? "only the clock of Base may import Glibc" : "\(target.name) must not import \(module)"
      return Violation(path: file.path, line: index + 1, rule: rule)
    }
  }

  /// The module of an import line, with or without attributes, access level and kind.
  static func importedModule(_ line: Substring) -> String? {
    let words = line.split(separator: " ")
    guard let place = words.firstIndex(of: "import"), place + 1 < words.count else { return nil }
    let prefix = words[..<place]
    guard prefix.allSatisfy({ $0.hasPrefix("@") || ["public", "package", "internal", "private"].contains($0) }) else {
      return nil
    }
    let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
    let path = kinds.contains(words[place + 1]) && place + 2 < words.count ? words[place + 2] : words[place + 1]
    return path.split(separator: ".").first.map(String.init)
  }
}
