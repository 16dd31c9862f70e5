/// Words that must not be left behind in a source file. They are spelled in halves here, so that this file passes itself.
enum Marks {
  struct Mark: Sendable {
    let word: String
    let rule: String
    /// Folders in which the word is allowed because it is the folder's work.
    let allowedIn: [String]
  }

  private static let sources = ["Tests/", "loadtest/"]

  static let all: [Mark] = [
    Mark(word: "TO" + "DO", rule: "left-behind mark", allowedIn: []),
    Mark(word: "FIX" + "ME", rule: "left-behind mark", allowedIn: []),
    Mark(word: "XX" + "X", rule: "left-behind mark", allowedIn: []),
    Mark(word: "HA" + "CK", rule: "left-behind mark", allowedIn: []),
    Mark(word: "debug" + "Print(", rule: "debug output", allowedIn: []),
    Mark(word: " pri" + "nt(", rule: "output belongs to the App folder", allowedIn: sources),
    Mark(word: "fatal" + "Error(", rule: "use a precondition with its reason, or an error", allowedIn: []),
    Mark(word: "try" + "!", rule: "an error must be handled", allowedIn: []),
    Mark(word: "try" + "? ", rule: "an error must not be swallowed", allowedIn: []),
    Mark(
      word: "nonisolated(un" + "safe)", rule: "shared state needs a lock or an owner",
      // A signal handler can take no lock.
      allowedIn: ["Tests/Support/FuzzFlightRecorder.swift"]),
    Mark(
      word: "sle" + "ep(", rule: "wait for the event, not for the time",
      // The timers of a device on the machine's clock, and the pace of a phone under load.
      allowedIn: ["Sources/Device/BackgroundGeolocation/Platform/DeviceClock.swift", "loadtest/misbehave/main.swift"]),
    Mark(
      word: "&am" + "p;", rule: "text in XML and HTML is escaped by XML of Base",
      allowedIn: ["Sources/Base/Text/XML.swift", "Tests/"]),
    Mark(word: "assert" + "ionFailure(", rule: "checks stay on in release: precondition", allowedIn: []),
    Mark(word: " ass" + "ert(", rule: "checks stay on in release: precondition", allowedIn: []),
  ]

  /// Where the compiler's memory checks may be set aside: at the C boundary and in the byte loops.
  static let unsafeAllowedIn = [
    "Sources/System/", "Sources/Database/", "Sources/Server/Network/", "Sources/Server/TLS/",
    "Sources/Server/Store/DataFolder.swift", "Sources/Server/Store/SecretFile.swift", "Sources/Wire/JSON/",
    "Sources/Wire/HTTP1/", "Sources/Wire/Gzip/",
    "Sources/Server/IngestServer/Tokens/SignatureKey.swift",
    "Sources/Server/IngestServer/Page/PageHandlers.swift",
    "Sources/Device/CurlTransport/",
    "Sources/Simulator/Oracle/Events/PerDevice.swift",
    "Sources/Base/Collections/Span+Words.swift", "Sources/Base/Time/SystemClock.swift",
    "Sources/Wire/Contract/Record/Bytes+Values.swift",
    "Sources/Sinks/NATSConnection.swift", "Sources/Sinks/KafkaConnection.swift",
    "Sources/Sinks/KafkaReader.swift", "Sources/App/", "Tests/", "loadtest/",
  ]

  static func isUnsafe(_ line: Substring) -> Bool {
    line.split(separator: " ").contains("unsafe") && !line.drop { $0 == " " }.hasPrefix("//")
  }

  static func violations(in file: SourceFile) -> [Violation] {
    var found: [Violation] = []
    let marks = all.filter { mark in
      !mark.allowedIn.contains(where: file.path.hasPrefix) && file.contains(mark.word)
    }
    let mayBeUnsafe = file.contains("unsafe") && !unsafeAllowedIn.contains(where: file.path.hasPrefix)
    guard !marks.isEmpty || mayBeUnsafe else { return [] }
    for (index, line) in file.lines.enumerated() {
      for mark in marks where line.contains(mark.word) {
        found.append(Violation(path: file.path, line: index + 1, rule: "\(mark.word): \(mark.rule)"))
      }
      if mayBeUnsafe, isUnsafe(line) {
        found.append(Violation(path: file.path, line: index + 1, rule: "unsafe code outside the places for it"))
      }
    }
    return found
  }

  /// A private test, or one with a private argument type, is silently never run.
  static func silentTests(in file: SourceFile) -> [Violation] {
    var found: [Violation] = []
    var isTest = false
    for (index, line) in file.lines(with: "@Test", "func ") {
      if line.contains("@Test") { isTest = true }
      guard line.contains("func ") else { continue }
      if isTest, line.split(separator: " ").contains(where: { $0 == "private" || $0 == "fileprivate" }) {
        found.append(Violation(path: file.path, line: index + 1, rule: "a private test is never run"))
      }
      isTest = false
    }
    return found
  }

  /// A user's tests are linked with what they like, and a user's values may be Foundation's.
  static let foundationAllowedIn = [
    "loadtest/kits/", "Tests/BackgroundGeolocation/Documents/FoundationNumberTests.swift",
  ]
  static let essentialsAllowedIn = ["Sources/Device/BackgroundGeolocation/", "Tests/", "loadtest/"]

  /// Foundation costs 58 MB and its JSON a hundred times ours; even its small part stays off the way of a record.
  static func foundationViolations(in file: SourceFile) -> [Violation] {
    file.lines(with: "import").compactMap { index, line in
      switch Arrows.importedModule(line) {
      case "Foundation" where !foundationAllowedIn.contains(where: file.path.hasPrefix):
        Violation(path: file.path, line: index + 1, rule: "Foundation is not linked anywhere")
      case "FoundationEssentials" where !essentialsAllowedIn.contains(where: file.path.hasPrefix):
        Violation(path: file.path, line: index + 1, rule: "FoundationEssentials is not for this target")
      default: nil
      }
    }
  }
}
