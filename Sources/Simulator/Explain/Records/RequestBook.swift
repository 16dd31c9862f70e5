import BackendStore
package import Base

/// The recorded requests, by record.
package struct RequestBook: Sendable {
  struct Sighting: Sendable {
    var request: Int32
    var bytes: [UInt8]
  }

  /// Only this record is searched for; nil: all.
  private let wanted: UUID128?
  private(set) var sightings: [UUID128: [Sighting]] = [:]
  /// The number of answers in requests that are not kept, by record.
  private var moreAnswers: [UUID128: Int] = [:]
  /// The requests, without bodies.
  private(set) var requests: [SeenRequest] = []
  package private(set) var devices: Set<String> = []
  /// Records acknowledged by answers that the phone did not receive, as far as known.
  package var undelivered: Set<UUID128> = []
  /// Hints for other runs that have requests with the records in question.
  package var otherRuns: [String] = []
  /// The start of the journal, whatever the query; nil: it is empty.
  private let begin: WallInstant?
  /// The number of requests with truncated or unreadable bodies, in which further records may be.
  private(set) var cutBodyCount = 0
  /// The acknowledged records that cannot be looked up.
  private(set) var unseen = UnseenRecords()
  /// The records of requests of which some were put into quarantine, by request.
  private var recordsBeside: [Int32: [UUID128]] = [:]

  /// The first sightings of a record are kept, and one more: the last with 2xx, or else the last.
  private static let sightingsKept = 8

  /// `begin` is the time of the oldest recorded request, of any record.
  package init(of wanted: UUID128?, since begin: WallInstant? = nil) { (self.wanted, self.begin) = (wanted, begin) }

  var cutBodyWords: String {
    "of \(StoryText.count(cutBodyCount, "request")) the journal has the body only in part, or packed"
  }

  /// The place, as half a sentence.
  var place: String { begin.map { "the journal since \($0.iso8601Text)" } ?? "the journal, which is empty" }

  /// Takes a request of the device; one without a device counts only as what cannot be looked up.
  package mutating func take(_ request: SeenRequest) {
    if let device = request.device { devices.insert(device) }
    let found = BodyRecords.find(in: request.body)
    unseen.take(request, hasRecords: !found.isEmpty)
    add(found, of: request)
    if request.isCut { cutBodyCount += 1 }
  }

  /// Takes only some records of a request: also another device may have sent them.
  package mutating func take(_ request: SeenRequest, only kept: Set<UUID128>) {
    let found = BodyRecords.find(in: request.body).filter { kept.contains($0.uuid) }
    if !found.isEmpty { add(found, of: request) }
  }

  /// Takes a request that names no device, in a question by device.
  package mutating func take(unowned request: SeenRequest) { unseen.take(unowned: request) }

  /// Leaves out what has a uuid and no position, if other objects have both: an app sends more than records.
  package mutating func leaveOutOthers() {
    let others = sightings.keys.filter { !hasPosition($0) }
    guard wanted == nil, others.count < sightings.count else { return }
    for uuid in others { sightings[uuid] = nil }
  }

  /// Whether what was sent under this uuid has a position, as a record has.
  func hasPosition(_ uuid: UUID128) -> Bool {
    (sightings[uuid] ?? []).contains { BodyRecords.hasPosition(in: $0.bytes) }
  }

  private mutating func add(_ found: [BodyRecords.Found], of request: SeenRequest) {
    var number: Int32?
    for (uuid, range) in found {
      guard wanted == nil || uuid == wanted, makeRoom(for: request, of: uuid) else { continue }
      let index = number ?? add(request)
      number = index
      sightings[uuid, default: []].append(Sighting(request: index, bytes: Array(request.body[range])))
    }
    if let number, request.quarantinedCount > 0 { recordsBeside[number] = found.map(\.uuid) }
    if number == nil, wanted == nil, !request.isSuccess { _ = add(request) }
  }

  private mutating func makeRoom(for request: SeenRequest, of uuid: UUID128) -> Bool {
    guard let kept = sightings[uuid], kept.count == RequestBook.sightingsKept, let last = kept.last else { return true }
    let isNewKept = request.isSuccess || !requests[Int(last.request)].isSuccess
    let isForgottenAnswered = isNewKept ? !requests[Int(last.request)].isUnanswered : !request.isUnanswered
    if isForgottenAnswered { moreAnswers[uuid, default: 0] += 1 }
    if isNewKept { sightings[uuid]?.removeLast() }
    return isNewKept
  }

  private mutating func add(_ request: SeenRequest) -> Int32 {
    var bare = request
    bare.body = []
    bare.answer = Array(request.answer.prefix(SeenRequest.answerBytesKept))
    requests.append(bare)
    return Int32(requests.count - 1)
  }

  func requests(with uuid: UUID128) -> [SeenRequest] { (sightings[uuid] ?? []).map { requests[Int($0.request)] } }

  /// Returns how many records of a request with this one were put into quarantine and have been removed from it.
  func quarantinedAndRemoved(with uuid: UUID128, isKept: (UUID128) -> Bool) -> Int {
    (sightings[uuid] ?? []).map { sighting in
      let beside = recordsBeside[sighting.request] ?? []
      return requests[Int(sighting.request)].quarantinedCount - beside.count(where: isKept)
    }.max() ?? 0
  }

  /// Returns the number of answered requests with the record, including those that are not kept.
  func answerCount(of uuid: UUID128) -> Int {
    requests(with: uuid).count { !$0.isUnanswered } + moreAnswers[uuid, default: 0]
  }

  /// Returns the record's own timestamp.
  func instant(of uuid: UUID128) -> WallInstant? {
    sent(uuid).flatMap { StoredRecord($0, fields: []).value("timestamp")?.instant }
  }

  /// Returns the record as it was last acknowledged, or else last sent.
  func sent(_ uuid: UUID128) -> StoredValue? {
    let all = sightings[uuid] ?? []
    let last = all.last { requests[Int($0.request)].isSuccess } ?? all.last
    return last.flatMap { StoredValue($0.bytes) }
  }
}
