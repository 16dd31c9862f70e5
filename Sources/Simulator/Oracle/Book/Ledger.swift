import AnswerCheck
import BackendStore
import Base
import Contract
import Engine
import JSON
import Queue
import Scenario
package import Upload
import Vocabulary
import World

/// The ledger of all records of a run: where each is, and whether that is possible. Finished records are only counted, so
/// that the ledger grows with the queues and not with the run; a record that was found in the store remains in a checksum
/// that the whole store must match at the end.
final class Ledger {
  let names: [String]
  let radio: RadioTable
  /// The local time of the devices.
  let expectedZone: ExpectedZone
  let truth: TrueWorld
  let homes: [DeviceHome]
  /// The configuration of each fleet in the scenario; nil where a preset of a server changes it.
  let configurations: [Configuration?]
  /// The behaviour of each fleet.
  let behaviours: [SDKBehaviour]
  /// The headers that the simulator writes, in lower case.
  let ownHeaders: Set<String>
  /// The number of dwell events that were judged.
  var dwells = 0
  let violations: ViolationLog
  /// The lifetime of an access token; nil without tokens.
  let tokenLifetime: Nanoseconds?
  var sums = LedgerSums()
  /// The memory of the states of each device.
  let space: DeviceSpace
  let pages: PerDevice<DevicePage>
  /// The findings about the last sent request.
  private(set) var findings = RequestFindings()
  /// The record that has just left its queue.
  private(set) var departed: WaitingRecord?
  /// Records that have left their queues and have not been looked up in the store yet.
  var unproven = BlockList<DequeuedRecord>()
  /// The differences between stored and sent records.
  var contents: ContentComparisons<DequeuedRecord>
  /// The number of rows of the run's devices that no phone of the run has sent.
  var unknownRows = 0
  /// Whether the waiting records have been counted.
  var areQueuesClosed = false
  /// Records that left a queue otherwise than by an answer, while a request with them was under way.
  private var onTheirWay: [(row: Int64, dequeued: DequeuedRecord)] = []
  private var bodies: SentBodyReader
  /// The common properties of the records that the server has lost.
  var losses = LossProfile()
  /// All lost records.
  var lost: [LostRecord] = []
  /// The number of records that an answer reports as quarantined, less those already accounted for.
  var quarantinedByAnswers: [QuarantiningRequest: Int] = [:]
  /// The number of devices whose records were still being accepted at the end.
  var drainingCount = 0
  private(set) var traits: RecordTraitsReader

  /// Seconds of device time per second of network time.
  private let clockFactor: Double
  /// How late devices may have their turns by their own clock.
  let lateness: Nanoseconds
  /// The number of unproven records at which the store is queried.
  let proofSize: Int
  private let sight: StoreVisibility
  private let bodyBytesMax: Int
  private let naming: RecordNaming
  /// A device whose records cannot be looked up, for lack of a uuid.
  private(set) var nameless: Int?
  /// Whether arrivals at the server are reported; otherwise they are inferred from answers.
  var seesServer: Bool { sight == .inside }
  private var isAsked: Bool { sight == .questions || sight == .listing }

  init(of run: JudgedRun, violations: ViolationLog) {
    radio = run.radio
    expectedZone = ExpectedZone(
      offsetSeconds: run.zoneOffsetSeconds,
      steps: run.zoneChanges.map { .init(instant: $0.instant, offsetSeconds: $0.offsetSeconds) })
    configurations = run.fleets.map(\.configuration)
    behaviours = run.fleets.map(\.behaviour)
    homes = run.homes
    names = homes.map(\.name)
    let fixed = [
      HeaderName.authorization, HeaderName.contentType, HeaderName.userAgent, HeaderName.deviceID, HeaderName.runID,
    ]
    ownHeaders = Set((run.targetHeaders + fixed.map(\.description)).map { $0.lowercased() })
    space = DeviceSpace(devices: names.count)
    truth = TrueWorld(in: space)
    contents = ContentComparisons(promised: run.keptFields)
    sight = run.sight
    bodyBytesMax = run.bodyBytesMax ?? .max
    let templates = TemplateSchema.list(of: run.fleets.compactMap(\.configuration))
    naming = RecordNaming(isServerInside: sight == .inside, templates: templates)
    bodies = SentBodyReader(knowsBatchesByMarks: sight == .inside, templates: templates)
    traits = RecordTraitsReader(comparesContents: sight == .listing)
    (clockFactor, lateness) = (run.clockFactor, run.lateness)
    // Large queries are cheap. A run that ends at the first loss must not wait for more records, and without a store to query
    // there is nothing to wait for.
    proofSize = run.breaking == nil && sight != .none ? 8_192 : 1
    tokenLifetime = run.tokenLifetime
    self.violations = violations
    pages = PerDevice(DevicePage(), in: space)
  }

  /// Enters an event, before the rules receive it.
  func enter(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    truth.enter(event, context)
    switch event {
    case .queue(let note): enter(note, at: context.now.monotonic)
    case .sent(let request): send(request, by: device, at: context.now.monotonic)
    case .served(let request, _, _): arrive(request, of: device, at: context.now.monotonic)
    case .launched:
      pages[device].aliveSince = context.now.monotonic
      connect(context)
    case .network: connect(context)
    case .healed: pages[device].healedAt = context.now.monotonic
    case .configured(let configuration): pages[device].terms = UploadTerms(configuration)
    case .ended(let request, let outcome):
      pages[device].endedAt = context.now.monotonic
      read(outcome, of: request, by: device, at: context.now.monotonic)
    case .faultBegan(let occurrence): disguise(device, by: occurrence, isBegin: true)
    case .faultEnded(let occurrence): disguise(device, by: occurrence, isBegin: false)
    case .killed, .opened, .closed, .kept, .told, .carried, .logged, .crossed, .stood, .connected, .fetched, .turn,
      .sensed, .charged, .moves, .strayed, .asked, .askedToSync:
      break
    }
  }

  /// Removes what has ended, after the rules have received the event.
  func leave(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    truth.leave(event, context)
    switch event {
    case .ended(let request, _): close(device) { $0.id == request }
    case .killed:
      close(device) { _ in true }
      pages[device].waiting.changeAll { $0.mayArriveAgain = true }
      pages[device].aliveSince = nil
      pages[device].connectedSince = nil
    default: break
    }
  }

  /// Notes the start or the end of a fault that may answer in the server's place.
  private func disguise(_ device: Int, by occurrence: FaultOccurrence, isBegin: Bool) {
    guard occurrence.effects.contains(.answersRequests) else { return }
    pages[device].impostors += isBegin ? 1 : -1
    pages[device].hadImpostor = true
  }

  private func connect(_ context: EventContext) {
    let isConnected = radio.kind(of: context.network) != .none
    if !isConnected {
      pages[context.device].connectedSince = nil
    } else if pages[context.device].connectedSince == nil {
      pages[context.device].connectedSince = context.now.monotonic
    }
  }

  private func enter(_ note: QueueNote, at instant: MonotonicInstant) {
    switch note {
    case .inserted(let device, let row, let uuid, let timestamp, let bytes):
      var record = WaitingRecord(
        row: row, uuid: uuid, timestamp: timestamp, createdAt: instant, mark: RecordMark.of(bytes.span),
        length: UInt32(bytes.count))
      record.isInvalid = truth.lives[device].isPoisoned(at: instant)
      if let form = pages[device].terms?.templateForm, !naming.isNamed(bytes, uuid, sentAs: form) {
        // The first by name, so that shards name the same one.
        if nameless.map({ names[device] < names[$0] }) ?? true { nameless = device }
        pages[device].anonymous.insert(bytes, row: row)
      }
      if isAsked {
        record.traits = traits.read(bytes)
        if pages[device].lastTimestamp == timestamp {
          record.traits.sharesInstant = true
          pages[device].waiting.changeLast { $0.traits.sharesInstant = true }
        }
        pages[device].lastTimestamp = timestamp
      }
      pages[device].waiting.append(record)
      sums.created += 1
    case .deleted(let device, let row, let cause):
      departed = pages[device].waiting.remove(row)
      pages[device].anonymous.remove(row)
      if let departed { take(departed, of: device, cause, at: instant) }
    case .refused(let device, .deletionOfUploaded):
      for row in pages[device].answer?.rows ?? [] { pages[device].waiting.change(row) { $0.mayArriveAgain = true } }
    case .refused: break
    }
  }

  private func take(_ record: WaitingRecord, of device: Int, _ cause: QueueNote.Cause, at instant: MonotonicInstant) {
    var dequeued = DequeuedRecord(record, of: device, at: instant)
    switch cause {
    case .upload:
      dequeued.take(pages[device].answer, row: record.row)
      return unproven.append(dequeued)
    case .destruction: sums.destroyed += 1
    case .age: sums.expired += 1
    case .room: sums.evicted += 1
    }
    guard record.attempts > 0 else { return }
    if pages[device].open.contains(where: { $0.rows.contains(record.row) }) {
      onTheirWay.append((record.row, dequeued))
    } else {
      unproven.append(dequeued)
    }
  }

  private func send(_ request: OutgoingRequest, by device: Int, at instant: MonotonicInstant) {
    for other in pages[device].open where other.purpose == .records && other.isGivenUp(at: instant) {
      for row in other.rows { pages[device].waiting.change(row) { $0.mayArriveAgain = true } }
    }
    var sent = SentRequest(
      id: request.id, purpose: request.purpose, sentAt: instant, timeout: request.timeout, bodyBytes: request.body.count
    )
    if request.purpose == .records {
      if let answer = pages[device].answer { sent.followsSuccess = answer.isSuccess && answer.instant == instant }
      findings = bodies.read(
        request.body, of: pages[device].waiting, newestFirst: pages[device].terms?.newestFirst ?? false,
        pages[device].anonymous, into: &sent)
      for row in sent.rows { pages[device].waiting.change(row) { $0.attempts &+= 1 } }
      pages[device].hadImpostor = pages[device].impostors > 0
    }
    pages[device].open.append(sent)
  }

  private func arrive(_ request: UInt64, of device: Int, at instant: MonotonicInstant) {
    guard let index = pages[device].open.firstIndex(where: { $0.id == request }) else { return }
    pages[device].open[index].isServed = true
    findings.unexplained.removeAll(keepingCapacity: true)
    let isGivenUp = pages[device].open[index].isGivenUp(at: instant)
    for row in pages[device].open[index].rows {
      pages[device].waiting.change(row) { record in
        if isGivenUp { record.mayArriveAgain = true }
        if record.mayBeStored {
          if record.mayArriveAgain { sums.duplicatesExplained += 1 } else { sums.duplicatesUnexplained += 1 }
        }
        if !record.mayArriveAgain { findings.unexplained.append(record.uuid) }
        record.arrivals &+= 1
        record.mayArriveAgain = isGivenUp
        record.mayBeStored = true
      }
    }
  }

  private func read(_ outcome: RequestOutcome, of request: UInt64, by device: Int, at instant: MonotonicInstant) {
    if !seesServer && outcome.status != 0 { arrive(request, of: device, at: instant) }
    guard let sent = pages[device].request(request) else { return }
    let isBehindFaults = pages[device].healedAt.map { $0 <= sent.sentAt } ?? false
    if sent.purpose != .log {
      pages[device].hasTimedOut = isBehindFaults && outcome.isTimeout && instant - sent.sentAt >= sent.timeout
      let isRefused = isBehindFaults && sent.purpose == .refresh && outcome.status >= 300 && ownTokensMayExpire(device)
      pages[device].refusal = isRefused ? outcome.status : nil
    }
    guard sent.purpose == .records else { return }
    var answer = ReadAnswer(
      request: request, status: outcome.status, instant: instant, rows: sent.rows,
      isServers: sent.isServed && !outcome.isPage)
    answer.isForLength = isBehindFaults && outcome.status == 413 && sent.bodyBytes > bodyBytesMax
    answer.isExplained = seesServer || pages[device].hadImpostor || !outcome.isPage
    // A store identifies quarantined records by their bytes, which include the params where a body has no root.
    if isAsked || seesServer && sent.hasNoRoot, case let count = outcome.quarantinedCount, count > 0 {
      quarantinedByAnswers[QuarantiningRequest(device: UInt32(device), request: request)] = count
    }
    pages[device].answer = answer
    if answer.isSuccess { pages[device].acknowledgedAt = instant }
    guard !answer.isSuccess || sent.isGivenUp(at: instant) else { return }
    for row in sent.rows {
      pages[device].waiting.change(row) { record in
        record.mayArriveAgain = true
        if answer.status != 0 && !answer.isSuccess { record.mayBeStored = false }
      }
    }
  }

  /// Reports whether the device has tokens of its configuration, not of the run's server, that may expire. No refresh helps where
  /// the server does not know them (SDK §11.6).
  private func ownTokensMayExpire(_ device: Int) -> Bool {
    tokenLifetime == nil && (truth.lives[device].configuration?.authorization.expires ?? 0) > 0
  }

  /// Reports whether a span of device time exceeds a request's time limit, which is network time, and the watchdog's grace.
  func hasPassed(_ span: Nanoseconds, timeLimit: Nanoseconds) -> Bool {
    Double(span.count) > Double((timeLimit + DocumentedLimits.watchdogGrace).count) * clockFactor
  }

  /// Reports whether the watchdog has certainly not ended a request, of whose time limit the phone's clock may show another part.
  func isAwaited(_ sent: SentRequest, at instant: MonotonicInstant) -> Bool {
    let span = instant - sent.sentAt
    return span < sent.timeout && !hasPassed(span, timeLimit: sent.timeout)
  }

  private func close(_ device: Int, _ isOver: (SentRequest) -> Bool) {
    guard !pages[device].open.isEmpty else { return }
    pages[device].open.removeAll(where: isOver)
    if pages[device].open.isEmpty { pages[device].open = [] }
    guard !onTheirWay.isEmpty else { return }
    onTheirWay.removeAll { row, dequeued in
      guard dequeued.device == device, !pages[device].open.contains(where: { $0.rows.contains(row) }) else {
        return false
      }
      unproven.append(dequeued)
      return true
    }
  }
}

extension RequestOutcome {
  /// `"quarantined": 2` in the answer to an upload; 0 when it does not say.
  package var quarantinedCount: Int {
    guard case .answered(200..<300, reason: _, let body) = self, body.count < 65_536,
      // Most answers have no such member and need not be parsed.
      body.span.contains("\"quarantined\""),
      case .integer(let count)? = JSONValue(answerOf: self)?["quarantined"]
    else { return 0 }
    return Int(clamping: count)
  }

  fileprivate var isTimeout: Bool { if case .failed(.timeout, message: _) = self { true } else { false } }

  /// Whether the answer is an HTML page, as of a captive portal; no server that stores records answers so.
  fileprivate var isPage: Bool {
    guard case .answered(_, reason: _, let body) = self else { return false }
    return ObservedAnswer.beginsLikeAPage(body)
  }
}

/// The number of records in each state. `created` is the sum of the states that follow it.
package struct LedgerSums: Equatable, Sendable {
  package var created = 0
  /// Deleted by their devices after an acknowledgement, and found in the store.
  package var stored = 0
  /// Deleted by their devices after an acknowledgement; unknown whether in the store.
  package var unverified = 0
  package var pending = 0
  package var expired = 0
  package var evicted = 0
  package var destroyed = 0
  /// Quarantined by the server instead of stored.
  package var quarantined = 0
  /// Deleted by their devices because something between them and the server answered with success.
  package var misled = 0
  /// Misled records that the store lacks and whose page no fault of the scenario explains.
  package var lostToPages = 0
  /// Acknowledged by the server and not in its store.
  package var lost = 0
  /// Lost records that the server lists for another device.
  package var misplaced = 0

  /// Records that reached the server again, for a known reason.
  package var duplicatesExplained = 0
  package var duplicatesUnexplained = 0
  /// Stored records that differ from what was sent.
  package var changed = 0
  /// Rows of the store that repeat another.
  package var duplicateRows = 0

  package init() {}

  /// Acknowledged by the target, with whatever answer, and not in its store.
  package var lostInAll: Int { lost + lostToPages }

  package var isBalanced: Bool {
    created
      == stored + unverified + pending + expired + evicted + destroyed + quarantined + misled + lost
  }
}
