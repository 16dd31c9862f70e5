import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Upload
import Vocabulary
import World

/// I30: uploads happen when they are due: at a record that reaches the threshold, at the triggers of a retry, and page after
/// page while the server accepts them (HttpConfig "Sync strategy", "Error handling", `maxBatchSize`; SDK §8.5, §9.2, §9.3).
final class UploadDueRule: Rule {
  override class var invariant: Invariant { .uploadDue }
  override class var interest: Interest { [.sent, .ended, .queue, .motionChange, .event, .life] }
  override class var absence: String { "no upload was due" }

  private struct Sender {
    /// The deadline for a request, and its reason.
    var due: MonotonicInstant?
    var reason = Reason.record
    /// The status of the last upload, if it was unsuccessful; 0 without an answer.
    var lastFailure: Int?
    /// Whether the last upload of the running app was unsuccessful.
    var hasFailed = false
    /// The instant at which a success was read, and the number of records left then.
    var answered: MonotonicInstant?
    var left = 0
    /// Whether its network is metered, so that uploads that respect it wait for another one.
    var isOnCellular = false
    /// The last waiting row at a deferred motion change: rows up to it are sent whatever the threshold (HttpConfig 192, 214).
    var deferred: Int64?
  }

  private enum Reason: String {
    case record = "a record that reaches the threshold"
    case rest = "a page that the server took, with more behind it"
    case launch = "a start of the app"
    case resume = "the opening of the app"
    case link = "the return of the network"
    case fetch = "a background fetch"
    case heartbeat = "a heartbeat"
    case motionChange = "a motion change"
  }

  private let senders: PerDevice<Sender>
  private static let patience = Nanoseconds.seconds(20)

  required init(_ ledger: Ledger) {
    senders = PerDevice(Sender(), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    if senders[device].due != nil || senders[device].answered != nil { pass(to: now, context) }
    switch event {
    case .sent(let request):
      if request.purpose != .log { clear(device) }
      if request.purpose == .records { senders[device].deferred = nil }
    case .ended(let request, let outcome): end(request, outcome, context)
    // No document says that a record of the app itself is sent at once.
    case .queue(.inserted): if !ledger.truth.lives[device].isPoisoned(at: now) { owe(.record, context) }
    case .queue(.deleted):
      if senders[device].answered == now { senders[device].left = ledger.pages[device].waiting.count }
      // A record that evicts others may leave nothing that had to be sent.
      if senders[device].due != nil, !isWanted(senders[device].reason, device) { senders[device].due = nil }
    case .queue(.refused), .killed, .configured, .healed:
      clear(device)
      (senders[device].hasFailed, senders[device].deferred) = (false, nil)
    case .network(let network): change(to: ledger.radio.kind(of: network), context)
    case .launched(let launch):
      if !launch.isInBackground { owe(.launch, context) }
    case .opened: owe(.resume, context)
    case .fetched: owe(.fetch, context)
    case .told(.engine(.heartbeat)): owe(.heartbeat, context)
    case .told(.engine(.motionChange(let record))):
      // A crossing that was found with the same position is inserted later.
      let waiting = ledger.pages[device].waiting.all
      guard waiting.contains(where: { $0.createdAt < now || $0.uuid == record.uuid }) else { break }
      guard isDeferring(context) else { return owe(.motionChange, context) }
      (senders[device].deferred, senders[device].isOnCellular) = (waiting.last?.row, true)
    default: break
    }
  }

  /// Handles a change of the network: an upload is due when the network is back, or at last unmetered (HttpConfig 214), not
  /// at any other change.
  private func change(to kind: RadioLink.Kind, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    clear(device)
    let defers = ledger.pages[device].terms?.defersOnCellular == true
    let isReleased = defers && kind == .wifi && senders[device].isOnCellular
    senders[device].isOnCellular = kind == .cellular
    if kind != .none, ledger.pages[device].connectedSince == now || isReleased { owe(.link, context) }
  }

  private func isDeferring(_ context: EventContext) -> Bool {
    ledger.pages[context.device].terms?.defersOnCellular == true
      && ledger.radio.kind(of: context.network) == .cellular
  }

  private func clear(_ device: Int) { (senders[device].due, senders[device].answered) = (nil, nil) }

  private func end(_ request: UInt64, _ outcome: RequestOutcome, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    guard let sent = ledger.pages[device].request(request), sent.purpose == .records else {
      return
    }
    senders[device].hasFailed = !(200..<300).contains(outcome.status)
    guard !senders[device].hasFailed else { return senders[device].lastFailure = outcome.status }
    senders[device].lastFailure = nil
    guard now - sent.sentAt < sent.timeout else { return }
    (senders[device].answered, senders[device].left) = (now, ledger.pages[device].waiting.count)
  }

  /// Called when the instant of an answer is over: the remaining records must be sent at once.
  private func pass(to now: MonotonicInstant, _ context: EventContext) {
    let device = context.device
    if let answered = senders[device].answered, answered < now {
      senders[device].answered = nil
      if senders[device].left > 0, canSend(.rest, context) {
        exercised += 1
        (senders[device].due, senders[device].reason) = (answered + UploadDueRule.patience, .rest)
      }
    }
    guard let due = senders[device].due, due < now else { return }
    let reason = senders[device].reason
    senders[device].due = nil
    guard ledger.pages[device].upload == nil, ledger.pages[device].waiting.count > 0 else { return }
    ledger.violations.flag(
      Self.invariant, device, at: due,
      "\(ledger.pages[device].waiting.count.of("record")) waited, and nothing was sent after \(reason.rawValue)")
  }

  private func owe(_ reason: Reason, _ context: EventContext) {
    let device = context.device
    guard senders[device].due == nil, canSend(reason, context) else { return }
    exercised += 1
    (senders[device].due, senders[device].reason) = (context.now.monotonic + UploadDueRule.patience, reason)
  }

  private func canSend(_ reason: Reason, _ context: EventContext) -> Bool {
    let device = context.device
    guard let terms = ledger.pages[device].terms, !ledger.pages[device].isHealed, terms.autoSync, !terms.url.isEmpty,
      ledger.pages[device].aliveSince != nil, ledger.pages[device].open.isEmpty,
      ledger.radio.kind(of: context.network) != .none, !isDeferring(context)
    else { return false }
    return isWanted(reason, device)
  }

  /// Reports whether waiting records must be sent, provided the phone can.
  private func isWanted(_ reason: Reason, _ device: Int) -> Bool {
    let waiting = ledger.pages[device].waiting.count
    guard waiting > 0, let terms = ledger.pages[device].terms else { return false }
    let reaches = waiting >= terms.threshold
    // Records that an upload could not deliver, or deferred, need no threshold (HttpConfig 64, 214; SDK §8.5.3).
    let oldest = ledger.pages[device].waiting.all.first?.row ?? .max
    let isLeft =
      oldest <= senders[device].deferred ?? .min
      || senders[device].hasFailed && ledger.pages[device].waiting.all.contains { $0.attempts > 0 }
    return switch reason {
    case .rest, .motionChange: true
    // After a network failure ten records must be queued.
    case .record: (reaches && terms.canReachThreshold || isLeft) && senders[device].lastFailure != 0
    case .launch, .resume, .link, .fetch, .heartbeat: reaches || isLeft
    }
  }
}
