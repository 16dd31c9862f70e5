import BackendStore
import JSON
import Scenario
import Synchronization

/// What is known of the backend: what its dialect promises, and what the first clauses of a run have found out.
final class RunFacts: Sendable {
  private struct Found: Sendable {
    var shown: Set<String> = []
    var tokens: TokenPromise?
    var prefersBatches = true
    var silence: String?
  }

  private let promises: DialectPromises
  let takesDefaultSchema: Bool
  let takesBatches: Bool
  private let found = Mutex(Found())

  init(_ target: ConformanceTarget) {
    promises = target.dialect.promises
    let template =
      target.dialect.app.document["persistence"]?["locationTemplate"]
      ?? target.dialect.app.document["locationTemplate"]
    takesDefaultSchema = template == nil && target.dialect.preset != .dawarich
    takesBatches = ![.traccar, .dawarich].contains(target.dialect.preset)
    found.withLock { $0.tokens = target.dialect.promises.tokens }
  }

  var tokens: TokenPromise { found.withLock { $0.tokens ?? .none } }
  /// Whether the dialect leaves open what the first clauses are to find out.
  var areTokensUnknown: Bool { found.withLock { $0.tokens == nil } }
  var needsTokens: Bool { tokens == .required }

  func note(_ tokens: TokenPromise) { found.withLock { $0.tokens = tokens } }

  /// In which form phones upload where a clause does not care: one that was seen to work.
  var prefersBatches: Bool { takesBatches && found.withLock { $0.prefersBatches } }

  func note(prefersBatches: Bool) { found.withLock { $0.prefersBatches = prefersBatches } }

  /// Why the backend cannot be reached at all; nil while it can.
  var silence: String? { found.withLock { $0.silence } }

  func note(silence: String) { found.withLock { $0.silence = silence } }

  /// Fields that the store shows of a first, complete record.
  func note(shown: Set<String>) { found.withLock { $0.shown = shown } }

  /// Whether what the store has of a field is to be judged: it is promised, or was seen once.
  func shows(_ field: String) -> Bool {
    let root = field.split(separator: ".").first.map(String.init) ?? field
    if ["uuid", "timestamp"].contains(root) { return true }
    if ["coords.latitude", "coords.longitude"].contains(field) { return true }
    let isSeen = found.withLock { $0.shown.contains(field) || $0.shown.contains(root) }
    guard let kept = promises.kept else { return isSeen }
    let name = root == "coords" ? field.split(separator: ".").last.map(String.init) ?? root : root
    return KeptField(rawValue: name).map(kept.contains) ?? isSeen
  }
}
