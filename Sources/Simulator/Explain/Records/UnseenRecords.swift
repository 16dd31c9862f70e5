import Base

/// Acknowledged requests with records that cannot be looked up, so that a loss among them is not seen.
struct UnseenRecords: Sendable {
  /// Those with a body of which the journal has a part, or which is packed.
  private var cutCount = 0
  /// Those that name no device.
  private var unownedCount = 0
  /// Those with a position and without a uuid, by path.
  private var nameless: [String: Int] = [:]
  /// The paths of requests with records.
  private var paths: Set<String> = []

  mutating func take(_ request: SeenRequest, hasRecords: Bool) {
    let path = String(request.path.prefix { $0 != "?" })
    if hasRecords { paths.insert(path) }
    guard request.isSuccess, !request.isOfFault else { return }
    if request.isCut, isOfRecords(request) {
      cutCount += 1
    } else if !hasRecords, BodyRecords.hasPosition(in: request.body) {
      nameless[path, default: 0] += 1
    }
  }

  /// Takes a request without a device.
  mutating func take(unowned request: SeenRequest) {
    guard request.isSuccess, !request.isOfFault else { return }
    let isPacked = request.isCut && request.body.isEmpty
    if isPacked || BodyRecords.hasPosition(in: request.body) { unownedCount += 1 }
  }

  /// Whether a part of a body shows records, or nothing.
  private func isOfRecords(_ request: SeenRequest) -> Bool {
    guard let first = request.body.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return true }
    return BodyRecords.hasPosition(in: request.body)
  }

  /// Other requests of an app may have a position, too; where records have a uuid these are no records.
  private var namelessCount: Int {
    nameless.reduce(0) { $0 + (paths.isEmpty || paths.contains($1.key) ? $1.value : 0) }
  }

  /// The records that were not looked up, as half sentences.
  var words: [String] {
    let all = [
      (cutCount, "the journal has the body only in part, or packed"),
      (unownedCount, "no device is named; ask by uuid"),
      (namelessCount, "the records have no uuid"),
    ]
    return all.filter { $0.0 > 0 }.map { count, words in
      "records were not looked up: in \(StoryText.count(count, "acknowledged request")) \(words)"
    }
  }
}
