import Base
import Contract

/// The queue of a phone, as far as its log shows it: some lines name records, others only count them.
struct PhoneQueue: Sendable {
  private struct Entry: Sendable {
    var uuid: UUID128
    /// In the phone's local time.
    var time: WallInstant
  }

  /// Oldest first.
  private var waiting: [Entry] = []
  private var known: Set<UUID128> = []
  /// The records of the current request: named by the log, or else reckoned.
  private(set) var sent: [UUID128] = []
  private(set) var isSentNamed = false
  /// The number of records that the current answer may still delete; nil: the log begins behind their request.
  private var sentLeft: Int?
  /// The answer to the current request.
  private(set) var response: RecordTrail.Attempt?
  /// The number of the oldest records that are older than all that the current answer deleted; nil: it deleted none.
  private var olderCount: Int?
  /// Older records than some that were uploaded: the phone no longer has them if it sends the oldest first.
  private var passedOver: [Entry] = []
  /// Whether no record was sent behind a younger one (`locationsOrderDirection`).
  private var isOldestFirst = true

  var uuids: some Sequence<UUID128> { waiting.lazy.map(\.uuid) }

  var count: Int { waiting.count }

  mutating func insert(_ uuid: UUID128, at time: WallInstant) {
    guard known.insert(uuid).inserted else { return }
    // In a log that was joined of two, some lines come again.
    let place = waiting.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
    waiting.insert(Entry(uuid: uuid, time: time), at: place)
  }

  /// Begins a request with a named record. Returns the records that are in the queue, other than it had seemed.
  mutating func send(_ uuid: UUID128?) -> [UUID128] {
    (sent, response, isSentNamed, sentLeft) = (uuid.map { [$0] } ?? [], nil, true, 1)
    return uuid.map { recall($0) } ?? []
  }

  /// Begins a request with the `count` oldest records.
  mutating func send(oldest count: Int) {
    (sent, response, isSentNamed) = (waiting.prefix(max(0, count)).map(\.uuid), nil, false)
    sentLeft = max(0, count)
  }

  mutating func answer(_ attempt: RecordTrail.Attempt) { response = attempt }

  /// Removes a record. Returns whether the current answer may have deleted it, and the records that are in the queue, other
  /// than it had seemed.
  mutating func destroy(_ uuid: UUID128) -> (isAnswered: Bool, recalled: [UUID128]) {
    let recalled = recall(uuid)
    let isAnswered = !(isSentNamed && !sent.contains(uuid)) && sentLeft != 0
    let isSuccess = response?.isSuccess ?? false
    if isAnswered, isSuccess { sentLeft = sentLeft.map { $0 - 1 } }
    known.remove(uuid)
    if let place = waiting.firstIndex(where: { $0.uuid == uuid }) {
      waiting.remove(at: place)
      if isAnswered, isSuccess { olderCount = min(olderCount ?? place, place) }
    }
    return (isAnswered, recalled)
  }

  /// Ends the current request. Returns the records that the phone no longer has, because it uploaded only younger ones.
  mutating func endRequest() -> [UUID128] {
    guard let count = olderCount else { return [] }
    olderCount = nil
    guard isOldestFirst, count > 0 else { return [] }
    passedOver += waiting.prefix(count)
    let gone = waiting.prefix(count).map(\.uuid)
    waiting.removeFirst(count)
    return gone
  }

  /// Removes the oldest records, without those of a request that is under way (SDK §7.4.1): at most `count`, and those made before
  /// `limit`. Returns them.
  mutating func drop(_ count: Int?, madeBefore limit: WallInstant? = nil) -> [UUID128] {
    let locked = response == nil ? Set(sent) : []
    var gone: Set<UUID128> = []
    for entry in waiting where gone.count < count ?? .max && !locked.contains(entry.uuid) {
      if let limit, entry.time >= limit { break }
      gone.insert(entry.uuid)
    }
    guard !gone.isEmpty else { return [] }
    waiting.removeAll { gone.contains($0.uuid) }
    known.subtract(gone)
    return Array(gone)
  }

  /// The records of a successful request that were not deleted yet.
  var undeleted: [UUID128] {
    guard let response, response.isSuccess, sentLeft != 0 else { return [] }
    return sent.filter(known.contains)
  }

  /// A record that was passed over and is sent shows that the phone does not send the oldest first: the others may be there, too.
  private mutating func recall(_ uuid: UUID128) -> [UUID128] {
    guard passedOver.contains(where: { $0.uuid == uuid }) else { return [uuid] }
    isOldestFirst = false
    let recalled = passedOver
    passedOver = []
    waiting = recalled + waiting
    return recalled.map(\.uuid)
  }
}
