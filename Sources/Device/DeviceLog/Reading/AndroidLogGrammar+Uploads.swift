import Vocabulary

extension AndroidLogGrammar {
  static func queue(_ message: AndroidMessage) -> LogFact.Content? {
    var scanner = message.scanner
    if scanner.pass("INSERT: ") || scanner.pass("💾 ✅ ") {
      return message.text.contains("geofence: ") ? nil : .inserted(uuid: String(scanner.word()), kind: nil)
    }
    if scanner.pass("DESTROY: ") { return .destroyed(uuid: String(scanner.word())) }
    if scanner.pass("UNLOCKED: ") { return .unlocked(uuid: String(scanner.word())) }
    return scanner.integer(after: "Locked ").map { .locked(uuid: nil, count: $0) }
  }

  static func http(_ message: AndroidMessage) -> LogFact.Content? {
    var scanner = message.scanner
    if scanner.pass("HTTP Service (count: ") { return .flushBegan(queued: scanner.integer()) }
    if scanner.pass("Response: ") { return scanner.integer().map { .response(status: $0) } }
    guard scanner.pass("Connectivity change: connected? ") else { return nil }
    return .connectivity(scanner.word() == "true" ? .wifi : .none)
  }
}

/// The names under which the stop timeout runs: the SDK's, the one of our own devices before they had that, and the one
/// with significant changes.
enum StopTimer {
  static let names: Set<String> = ["STOP_TIMEOUT", "stopTimeout", LogEntry.stationaryCheckName]
}

/// A request for a single position: older versions write numbers.
enum RequestAction {
  static func name(of text: Substring) -> String {
    switch text {
    case "1": "motionchange"
    case "2": "getCurrentPosition"
    case "3": "providerchange"
    default: String(text)
    }
  }
}
