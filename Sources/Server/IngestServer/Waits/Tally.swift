import Base
import JSON
import Store

/// A match of an expectation: its place, and when it was received.
struct Occurrence: Sendable {
  enum Place: Hashable, Sendable {
    case record(device: String, PointKey)
    case request(Int64)
    case command(Int64, device: String?)
  }

  let place: Place
  /// Milliseconds since 1970.
  let at: Int64
  /// The cursor of a record.
  var cursor: PointCursor?

  /// Returns whether it came after the other, as far as the server can tell: within one request, by the order of its records.
  func isAfter(_ other: Occurrence) -> Bool {
    if at != other.at { return at > other.at }
    switch (place, other.place) {
    case (.request(let number), .request(let earlier)): return number > earlier
    case (.record, .record):
      guard let cursor, let before = other.cursor else { return place != other.place }
      return cursor.isBehind(before) ?? (place != other.place)
    default: return true
    }
  }
}

/// A candidate that did not match, and the difference.
struct NearMiss: Sendable {
  /// `record 3f25… of phone-1`.
  let words: String
  let differences: [String]
  let at: Int64
}

/// The range in which matches count.
struct TallyBounds: Sendable {
  /// Milliseconds since 1970: `from` ≤ time of arrival.
  var from = Int64.min
  /// The match that completed the previous step.
  var after: Occurrence?
  /// The latest time of arrival that counts.
  var limit = Int64.max
}

/// The progress of one expectation. Bounded by the expected count.
struct Tally: Sendable {
  private static let nearestMax = 3

  let expectation: ContentExpectation
  var bounds: TallyBounds
  /// The first matches in order of arrival, as many as decide.
  private(set) var matches: [Occurrence] = []
  private var places: Set<Occurrence.Place> = []
  private(set) var nearest: [NearMiss] = []
  /// The first match that came too late.
  private(set) var late: Occurrence?
  /// The events of records other than the expected one.
  private(set) var events: Set<String> = []
  private let kept: Int

  init(_ expectation: ContentExpectation, _ bounds: TallyBounds) {
    self.expectation = expectation
    self.bounds = bounds
    kept = max(1, expectation.count.atMost.map { $0 + 1 } ?? expectation.count.atLeast)
  }

  var found: Int { matches.count }
  var isExceeded: Bool { expectation.count.isExceeded(by: found) }
  var isInRange: Bool { expectation.count.contains(found) }
  /// The match that completed the count.
  var decisive: Occurrence? {
    let needed = expectation.count.atLeast
    return needed > 0 && matches.count >= needed ? matches[needed - 1] : nil
  }

  /// Returns whether it is within the bounds, ignoring the limit.
  func covers(_ occurrence: Occurrence) -> Bool {
    occurrence.at >= bounds.from && bounds.after.map { occurrence.isAfter($0) } ?? true
  }

  mutating func note(_ occurrence: Occurrence) {
    guard covers(occurrence), !places.contains(occurrence.place) else { return }
    guard occurrence.at <= bounds.limit else {
      if let late, !late.isAfter(occurrence) { return }
      late = occurrence
      return
    }
    if matches.count == kept, let last = matches.last, !last.isAfter(occurrence) { return }
    let index = matches.lastIndex { !$0.isAfter(occurrence) }.map { $0 + 1 } ?? 0
    matches.insert(occurrence, at: index)
    places.insert(occurrence.place)
    if matches.count > kept { places.remove(matches.removeLast().place) }
  }

  /// Keeps the nearest misses: those with the fewest differences, then the latest.
  mutating func miss(_ occurrence: Occurrence, _ differences: [String], event: String? = nil, _ words: () -> String) {
    guard covers(occurrence) else { return }
    if let event, events.count < 16 { events.insert(event) }
    let isNear =
      nearest.count < Self.nearestMax || nearest.last.map { differences.count <= $0.differences.count } ?? true
    guard isNear else { return }
    let words = words()
    guard !nearest.contains(where: { $0.words == words }) else { return }
    nearest.append(NearMiss(words: words, differences: differences, at: occurrence.at))
    nearest.sort { ($0.differences.count, $1.at) < ($1.differences.count, $0.at) }
    if nearest.count > Self.nearestMax { nearest.removeLast() }
  }
}
