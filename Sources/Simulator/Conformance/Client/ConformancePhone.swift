import AnswerCheck
import Base
import Contract
import CurlTransport
import Database
import Engine
import Host
import JSON
import Queue
import Upload
import Vocabulary

/// A phone of one clause: the SDK's configuration, queue, uploader and refreshes, with records that the clause inserts. Its
/// line sends its requests, or the clause takes them and reports their ends.
final class ConformancePhone {
  /// A request and its end.
  struct Upload {
    let request: OutgoingRequest
    let outcome: RequestOutcome
    let head: AnswerHead
    let duration: Nanoseconds

    var status: Int { outcome.status }
    var isSuccess: Bool { 200..<300 ~= status }

    var body: [UInt8] { outcome.body }
  }

  let name: String
  let number: Int
  private let database: QueueDatabase
  private let scratch = HostScratch()
  private let clock = SystemClock()
  private let form: RequestForm
  private var line: PhoneLine
  private var host: DeviceHost
  private var outbox: [OutgoingRequest] = []
  /// The executed commands, in order, without the one by which a backend configures new phones.
  private(set) var executed: [Command] = []
  /// Whether that one is still to come.
  var expectsGreeting = false

  private static let uploadsMax = 400

  init(
    named name: String, number: Int, seed: UInt64, line: PhoneLine, form: RequestForm,
    configure: (inout Configuration) -> Void
  ) throws(DatabaseError) {
    (self.name, self.number, self.line, self.form) = (name, number, line, form)
    line.log.introduce(name, as: number)
    database = try QueueDatabase(path: ":memory:", commits: .everyCall)
    let now = Moment(monotonic: clock.monotonicNow, wall: clock.wallNow)
    host = try DeviceHost(
      DeviceDescription(platform: .ios, model: "Conformance", manufacturer: "Rolling Road", version: "18"),
      database: database, device: 0, identity: RandomStream(seed: seed, device: UInt64(number), concern: 1),
      scratch: scratch, at: now)
    host.ready(Launch(), at: now) { kept in
      Configuration.ready(platform: .ios, persisted: kept) { draft in
        configure(&draft)
        form.hold(&draft)
        draft.http.autoSync = false
      }
    }
    host.receive(.connectivity(.wifi), at: now)
    perform()
  }

  private var now: Moment { Moment(monotonic: clock.monotonicNow, wall: clock.wallNow) }

  var configuration: Configuration { host.configuration }
  var queuedCount: Int { host.queue.count }

  /// Uses the connections of this line from now on.
  func take(_ line: PhoneLine) { self.line = line }

  /// Changes the configuration, like the app.
  func configure(_ change: (inout Configuration) -> Void) {
    host.edit(at: now) { draft in
      draft.edit { draft in
        change(&draft)
        form.hold(&draft)
      }
    }
    perform()
  }

  /// Inserts records into the queue, unmodified.
  func put(_ records: [SentRecord]) {
    for record in records { host.insert(record.uuid, record.timestamp, rendered: record.bytes, at: now) }
    perform()
  }

  /// Begins an upload, and returns the request that the SDK sends; nil when it sends none.
  func takeRequest() -> OutgoingRequest? {
    if outbox.isEmpty {
      host.sync(completion: 1, at: now)
      perform()
    }
    return outbox.isEmpty ? nil : outbox.removeFirst()
  }

  /// Reports the end of a request that was taken.
  func answer(_ request: OutgoingRequest, _ outcome: RequestOutcome) {
    host.answer(request.id, outcome, at: now)
    perform()
  }

  /// Uploads as long as the SDK continues by itself, up to a maximum number of uploads.
  func upload() -> [Upload] {
    var uploads: [Upload] = []
    guard var next = takeRequest() else { return [] }
    while true {
      let upload = line.exchange(next, of: number)
      uploads.append(upload)
      answer(next, upload.outcome)
      guard !outbox.isEmpty, !line.isOutOfTime, uploads.count < ConformancePhone.uploadsMax else { break }
      next = outbox.removeFirst()
    }
    return uploads
  }

  private func perform() {
    var effects = host.takeEffects()
    while !effects.isEmpty {
      for effect in effects {
        switch effect {
        case .send(let request): outbox.append(request)
        case .deliver(.commanded(.setConfig)) where expectsGreeting: expectsGreeting = false
        case .deliver(.commanded(let command)): executed.append(command)
        case .deliver, .demand, .log, .destroyLog, .uploadLog, .backgroundTask: break
        }
      }
      effects = host.takeEffects()
    }
  }
}

/// The network connections of the phones of one clause.
final class PhoneLine {
  private let transport: DrivenTransport
  private let watch: AnswerWatch
  let log: SentLog
  private let deadline: RunDeadline

  init(
    _ configuration: TransportConfiguration, watch: AnswerWatch, log: SentLog, deadline: RunDeadline = RunDeadline()
  ) throws(TransportError) {
    transport = try DrivenTransport(configuration)
    (self.watch, self.log, self.deadline) = (watch, log, deadline)
  }

  var isOutOfTime: Bool { deadline.isOver }

  /// Sends a request and waits for its end.
  func exchange(_ request: OutgoingRequest, of device: Int) -> ConformancePhone.Upload {
    log.note(request, of: device)
    transport.submit(request, device: device)
    while true {
      guard let end = transport.turn(until: nil).first else { continue }
      let upload = ConformancePhone.Upload(
        request: request, outcome: end.outcome, head: AnswerHead(parsing: end.head), duration: end.timings.total)
      watch.see(upload)
      log.noteAnswer(upload.status, of: device)
      log.noteThrottling(upload.status, upload.head, of: device)
      return upload
    }
  }

  /// Sends all requests at once; returns them in the order of their ends.
  func exchangeAll(_ requests: [(request: OutgoingRequest, device: Int)]) -> [ConformancePhone.Upload] {
    if requests.count > 1 { log.noteUnscriptable() }
    var waiting: [Int: OutgoingRequest] = [:]
    for (request, device) in requests {
      waiting[device] = request
      log.note(request, of: device)
      transport.submit(request, device: device)
    }
    var uploads: [ConformancePhone.Upload] = []
    while !waiting.isEmpty {
      for end in transport.turn(until: nil) {
        guard let request = waiting.removeValue(forKey: end.device) else { continue }
        let upload = ConformancePhone.Upload(
          request: request, outcome: end.outcome, head: AnswerHead(parsing: end.head), duration: end.timings.total)
        watch.see(upload)
        log.noteAnswer(upload.status, of: end.device)
        log.noteThrottling(upload.status, upload.head, of: end.device)
        uploads.append(upload)
      }
    }
    return uploads
  }
}
