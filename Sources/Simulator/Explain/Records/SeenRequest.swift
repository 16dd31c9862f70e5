import BackendStore
package import Base

/// A request as recorded between phone and store: by the journal of a server or of a proxy.
package struct SeenRequest: Sendable {
  /// An injected fault.
  package struct Fault: Sendable {
    package var kind: String
    /// Whether it kept records, or some of them, from the backend: a 2xx answer is then the fault's own.
    package var withholdsRecords: Bool
    /// Whether the phone received another status than the recorded one.
    package var replacesStatus: Bool

    package init(kind: String, withholdsRecords: Bool, replacesStatus: Bool = false) {
      (self.kind, self.withholdsRecords, self.replacesStatus) = (kind, withholdsRecords, replacesStatus)
    }
  }

  /// Its location in a source: `journal #812`.
  package var place: String
  package var time: WallInstant
  package var device: String?
  package var method: String
  package var path: String
  package var status: Int
  /// The injected fault.
  package var fault: Fault?
  package var body: [UInt8]
  /// Whether the recorded body is truncated.
  package var isCut: Bool
  package var answer: [UInt8]

  package init(
    place: String, time: WallInstant, device: String?, method: String, path: String, status: Int, fault: Fault?,
    body: [UInt8], isCut: Bool, answer: [UInt8]
  ) {
    (self.place, self.time, self.device, self.method, self.path) = (place, time, device, method, path)
    (self.status, self.fault, self.body, self.isCut, self.answer) = (status, fault, body, isCut, answer)
  }

  /// Returns the records in a body, or in a part of one.
  package static func uuids(in body: [UInt8]) -> [UUID128] { BodyRecords.find(in: body).map(\.uuid) }

  package var isSuccess: Bool { (200...299).contains(status) }

  /// How many of its records a server of ours has put into quarantine; its answer begins with such counts (docs/server.md).
  var quarantinedCount: Int {
    let text = String(decoding: answer.prefix(SeenRequest.answerBytesKept), as: UTF8.self)
    guard isSuccess, text.hasPrefix("{\"accepted\":"), let key = text.firstRange(of: "\"quarantined\":") else {
      return 0
    }
    return Int(text[key.upperBound...].prefix { $0.isNumber }) ?? 0
  }

  /// The client was gone before there was an answer (docs/proxy.md).
  var isUnanswered: Bool { status == 499 }

  /// Whether the answer did not come from the backend.
  var isOfFault: Bool { fault?.withholdsRecords ?? false }

  /// Why a proxy answered in the backend's place (docs/proxy.md); nil where it did not.
  var silenceOfBackend: String? {
    guard fault == nil, [502, 504].contains(status) else { return nil }
    let text = String(decoding: answer.prefix(SeenRequest.answerBytesKept), as: UTF8.self)
    return SeenRequest.silences.first { text.contains("\"code\":\"\($0.code)\"") }?.reason
  }

  private static let silences = [
    (code: "upstream_unreachable", reason: "the backend could not be reached"),
    (code: "upstream_timeout", reason: "the backend did not answer in time"),
    (code: "upstream_closed", reason: "the backend ended the connection without an answer"),
    (code: "upstream_malformed", reason: "what the backend answered was no HTTP"),
  ]
  fileprivate static let answerBytesKept = 200

  var evidence: Evidence {
    var words = "\(method) \(path) of '\(device ?? "?")' was answered \(status)"
    if let silenceOfBackend { words += " by the proxy, as \(silenceOfBackend)" }
    if let fault {
      words += fault.withholdsRecords ? " by an injected fault" : "; it met an injected fault"
      words += " (\(fault.kind))"
    }
    return Evidence(
      words, place: place, time: time,
      quote: EntryQuote.cut(String(decoding: answer.prefix(SeenRequest.answerBytesKept), as: UTF8.self)[...]))
  }
}

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

  package mutating func take(_ request: SeenRequest) {
    if let device = request.device { devices.insert(device) }
    var number: Int32?
    for (uuid, range) in BodyRecords.find(in: request.body) {
      guard wanted == nil || uuid == wanted, makeRoom(for: request, of: uuid) else { continue }
      let index = number ?? add(request)
      number = index
      sightings[uuid, default: []].append(Sighting(request: index, bytes: Array(request.body[range])))
    }
    if let number, request.quarantinedCount > 0 {
      recordsBeside[number] = BodyRecords.find(in: request.body).map(\.uuid)
    }
    if number == nil, wanted == nil, !request.isSuccess { _ = add(request) }
    if request.isCut { cutBodyCount += 1 }
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

  /// Returns how many records of a request with this one were put into quarantine and are not `kept` there.
  func quarantinedAndRemoved(with uuid: UUID128, kept: Set<UUID128>) -> Int {
    (sightings[uuid] ?? []).map { sighting in
      let beside = recordsBeside[sighting.request] ?? []
      return requests[Int(sighting.request)].quarantinedCount - beside.count(where: kept.contains)
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
