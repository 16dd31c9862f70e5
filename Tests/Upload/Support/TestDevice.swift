import Base
import Contract
import Queue
import Support
import Vocabulary

@testable import Upload

/// An uploader with its queue, and everything it wanted so far. Can be copied: a branch of a tree of inputs.
struct TestDevice {
  var uploader: Uploader
  var queue = ModelQueue()
  var now = Moment(
    monotonic: MonotonicInstant(nanoseconds: 1_000_000_000),
    wall: WallInstant(millisecondsSince1970: 1_785_263_663_000))
  /// What the last input has caused, what came after `proceed` included.
  private(set) var effects: [UploadEffect] = []
  /// Every request so far.
  private(set) var sent: [OutgoingRequest] = []
  private var inserted = 0

  init(
    _ platform: DevicePlatform = .ios, connectivity: Connectivity = .wifi,
    _ configure: (inout Configuration) -> Void = { _ in }
  ) {
    var configuration = Configuration(platform: platform)
    configuration.http.url = "http://server.example/locations"
    configure(&configuration)
    let wall = now.wall
    uploader = Uploader(
      configuration: configuration, connectivity: connectivity, userAgent: "Test/1 (\(platform.rawValue))",
      tokenSetAt: wall)
  }

  /// The host's part: what stands before `proceed` is done when it is given back.
  mutating func give(_ input: UploadInput) {
    effects = []
    var pending: [UploadInput] = [input]
    while !pending.isEmpty {
      var new: [UploadEffect] = []
      uploader.receive(pending.removeFirst(), at: now, queue: &queue, into: &new)
      effects += new
      for effect in new {
        if case .send(let request) = effect { sent.append(request) }
        if effect == .proceed { pending.append(.proceed) }
      }
    }
  }

  /// As `give`, but commands take their time: `proceed` is the caller's to give.
  mutating func giveOnce(_ input: UploadInput) {
    effects = []
    uploader.receive(input, at: now, queue: &queue, into: &effects)
    for case .send(let request) in effects { sent.append(request) }
  }

  /// Puts records into the queue without a word to the uploader.
  mutating func fill(_ count: Int) {
    for _ in 0..<count {
      inserted += 1
      insert(#"{"n":\#(inserted)}"#)
    }
  }

  mutating func insert(_ record: String) {
    let bytes = Array(record.utf8)
    _ = queue.insert(
      uuid: UUID128(high: 0, low: UInt64(queue.count)), timestamp: now.wall, bytes: bytes.span)
  }

  /// A record, and the trigger that goes with it.
  mutating func record() {
    fill(1)
    give(.trigger(.insert))
  }

  /// The answer to the request that was sent last.
  mutating func answer(_ status: Int, _ body: String = "") {
    give(.answered(request: lastID, .answered(status: status, reason: "", body: Array(body.utf8))))
  }

  mutating func fail(_ failure: TransportFailure = .timeout) {
    give(.answered(request: lastID, .failed(failure, message: "no answer: \(failure.rawValue)")))
  }

  mutating func configure(_ change: (inout Configuration) -> Void) {
    var configuration = uploader.configuration
    change(&configuration)
    give(.configuration(configuration))
  }

  mutating func advance(seconds: Double) {
    now = now.advanced(by: Nanoseconds.milliseconds(Int64((seconds * 1_000).rounded())))
  }

  var lastID: UInt64 { sent.last?.id ?? 0 }
  var lastBody: String { String(decoding: sent.last?.body ?? [], as: UTF8.self) }

  func header(_ name: String) -> String? { sent.last?.headers.first { $0.name == name }?.value }

  // What the last input has caused.

  var requests: [OutgoingRequest] {
    effects.compactMap { if case .send(let request) = $0 { request } else { nil } }
  }
  var httpEvents: [HTTPEvent] {
    effects.compactMap { if case .http(let event) = $0 { event } else { nil } }
  }
  var authorizationEvents: [AuthorizationEvent] {
    effects.compactMap { if case .authorization(let event) = $0 { event } else { nil } }
  }
  var commands: [Command] {
    effects.flatMap { effect -> [Command] in
      if case .commands(let received) = effect { return received.commands }
      return []
    }
  }
  var syncs: [Result<[QueuedRecord], SyncError>] {
    effects.compactMap { if case .synced(_, let result) = $0 { result } else { nil } }
  }
  var entries: [LogEntry] {
    effects.compactMap { if case .log(let entry) = $0 { entry } else { nil } }
  }
}
