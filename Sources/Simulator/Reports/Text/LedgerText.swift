import FleetSimulator

/// The parts of the ledger in words.
enum LedgerText {
  struct Part {
    let title: String
    let count: Int
    let isBad: Bool
  }

  /// Those that there are, and those whose zero says something: of a store that was not looked at, no zero does.
  static func parts(_ summary: RunSummary) -> [Part] {
    let isVerified = summary.verification.outcome == .verified
    let always =
      isVerified ? ["created", "stored", "pending", "lost", "duplicateRows"] : ["created", "unverified", "pending"]
    return LedgerSums.parts.compactMap { part in
      let count = summary.ledger[keyPath: part.path]
      guard count > 0 || always.contains(part.name) else { return nil }
      return Part(title: title(part.name), count: count, isBad: count > 0 && bad.contains(part.name))
    }
  }

  private static let bad = ["lost", "changed", "duplicateRows"]

  /// `duplicateRows` is "duplicate rows".
  private static func title(_ name: String) -> String {
    switch name {
    case "unverified": "acknowledged and not verified"
    case "misled": "deleted on a page with status 200"
    case "changed": "stored otherwise than sent"
    default: name.map { $0.isUppercase ? " " + $0.lowercased() : String($0) }.joined()
    }
  }
}
