import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Upload
import Vocabulary
import World

/// Observes what an external server does to its devices beside accepting records: whether it issues tokens, stops them by a
/// command, causes endless uploads, or stops answering.
final class ServerWatch: Watcher {
  private struct Phone {
    var uploads = 0
    var answered = 0
    /// The number of answered uploads when a command stopped the device; nil while it tracks.
    var stoppedAfter: Int?
    var registrations = 0
    var hasToken = false
    var tokenlessUploads = 0
    /// The end of the last upload.
    var lastAnswer: RequestEnd?
    var window = Window()
  }

  /// A period in which more uploads leave than records explain; that is a storm.
  private struct Window {
    var start = MonotonicInstant(nanoseconds: 0)
    var waiting = 0
    var uploads = 0
    var inserts = 0
    var commands = 0

    /// Accounts for a record that is sent, rejected with 401 and sent again, and for occasional uploads without a new record.
    var isStorm: Bool { uploads > 2 * (waiting + max(0, inserts - commands)) + 60 }
  }

  private let ledger: Ledger
  private let tokenURL: String?
  /// Whether a fault of the scenario sends commands, so that commands in answers are expected.
  private let ordersCommands: Bool
  private let windowLength: Nanoseconds
  private let phones: PerDevice<Phone>
  private var registrationAnswers: [RequestEnd: Int] = [:]
  private var storms: Set<Int> = []
  private var stormUploads = 0
  private var uploads = 0
  private var lastAnswerAt: MonotonicInstant?
  /// The number of uploads since then that ended without an answer, by cause.
  private var silences: [RequestEnd: Int] = [:]
  private var latestSilences: [MonotonicInstant] = []

  init(_ run: JudgedRun, _ ledger: Ledger) {
    self.ledger = ledger
    (tokenURL, ordersCommands) = (run.tokenURL, run.ordersCommands)
    // A faster clock gives the server less time for the same number of answers.
    windowLength = Nanoseconds(Int64(60e9 * run.clockFactor))
    phones = PerDevice(Phone(), in: ledger.space)
  }

  func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    switch event {
    case .sent(let request) where request.id > AppRequest.first: phones[device].registrations += 1
    case .sent(let request) where request.purpose == .records: send(request, context)
    case .ended(let request, let outcome): end(request, outcome, context)
    case .queue(.inserted): phones[device].window.inserts += 1
    case .configured(let configuration):
      if configuration.authorization.accessToken != nil { phones[device].hasToken = true }
    case .told(.commanded(let command)):
      phones[device].window.commands += 1
      if command == .stop, phones[device].stoppedAfter == nil { phones[device].stoppedAfter = phones[device].answered }
    // By a later command, a schedule or the user.
    case .told(.engine(.enabledChange(isEnabled: true))): phones[device].stoppedAfter = nil
    default: break
    }
  }

  private func send(_ request: OutgoingRequest, _ context: EventContext) {
    let device = context.device
    uploads += 1
    phones[device].uploads += 1
    if !phones[device].hasToken, !request.headers.contains(where: { $0.isNamed(HeaderName.authorization) }) {
      phones[device].tokenlessUploads += 1
    }
    let now = context.now.monotonic
    if now - phones[device].window.start > windowLength { closeWindow(of: device, at: now) }
    phones[device].window.uploads += 1
  }

  private func closeWindow(of device: Int, at now: MonotonicInstant) {
    if phones[device].window.isStorm {
      storms.insert(device)
      stormUploads += phones[device].window.uploads
    }
    phones[device].window = Window(start: now, waiting: ledger.pages[device].waiting.count)
  }

  private func end(_ request: UInt64, _ outcome: RequestOutcome, _ context: EventContext) {
    let device = context.device
    let end = RequestEnd(outcome)
    if request > AppRequest.first { return registrationAnswers[end, default: 0] += 1 }
    guard ledger.pages[device].open.contains(where: { $0.id == request && $0.purpose == .records }) else { return }
    phones[device].lastAnswer = end
    guard outcome.status == 0 else {
      if (200..<300).contains(outcome.status) { phones[device].answered += 1 }
      lastAnswerAt = context.now.monotonic
      if !silences.isEmpty { (silences, latestSilences) = ([:], []) }
      return
    }
    // Without a network nothing reaches the server.
    guard ledger.radio.kind(of: context.network) != .none else { return }
    silences[end, default: 0] += 1
    latestSilences = latestSilences.suffix(ServerCounts.silencesMin - 1) + [context.now.monotonic]
  }

  /// Returns the counts after the settle phase. `isCut`: the run did not wait until the queues were empty.
  func counts(at instant: MonotonicInstant, isCut: Bool) -> ServerCounts {
    for device in phones.indices { closeWindow(of: device, at: instant) }
    var counts = ServerCounts()
    (counts.devices, counts.isCut) = (phones.count, isCut)
    let tokenless = tokenURL == nil ? [] : phones.filter { $0.registrations > 0 && !$0.hasToken }
    (counts.tokenURL, counts.devicesWithoutToken) = (tokenURL, tokenless.count)
    counts.registrationAnswers = RequestEnd.words(registrationAnswers)
    counts.uploadsWithoutToken = tokenless.reduce(0) { $0 + $1.tokenlessUploads }
    (counts.lastAnswerAt, counts.latestSilences) = (lastAnswerAt, latestSilences)
    counts.silences = RequestEnd.words(silences)
    counts.openUploads = ledger.pages.reduce(0) { count, page in
      count + (page.upload.map { !$0.isServed } ?? false ? 1 : 0)
    }
    if !ordersCommands {
      let active = phones.filter { $0.uploads > 0 }
      let stopped = active.compactMap(\.stoppedAfter)
      (counts.activeDevices, counts.stoppedDevices) = (active.count, stopped.count)
      counts.devicesStoppedAtOnce = stopped.count { $0 <= 1 }
      (counts.stormingDevices, counts.stormUploads) = (storms.count, stormUploads)
      if let worst = storms.max(by: { (phones[$0].uploads, $1) < (phones[$1].uploads, $0) }) {
        (counts.worstStorm, counts.worstStormUploads) = (ledger.names[worst], phones[worst].uploads)
      }
    }
    let full = phones.indices.filter { ledger.pages[$0].waiting.count > 0 && !ledger.isDraining($0, at: instant) }
    ledger.count(full.map { ($0, phones[$0].lastAnswer?.word ?? "none") }, into: &counts)
    counts.answeredDevices = phones.count { if case .status? = $0.lastAnswer { true } else { false } }
    return counts
  }
}
