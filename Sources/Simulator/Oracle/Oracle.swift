import BackendStore
package import Base
import Engine
import Host
import Queue
import Scenario
package import Store
import Vocabulary

/// Judges a run: keeps the ledger of its records and calls every rule that checks an invariant.
package final class Oracle: Watcher {
  let ledger: Ledger
  package let violations: ViolationLog
  let coverage: CoverageWatch
  /// Records the histories of selected records.
  private var history: RecordHistory?
  /// The verification of the server's store; final after `closeStore`.
  package private(set) var verification = Verification(.notAsked)
  /// Nil where the server is in the process.
  let serverWatch: ServerWatch?
  /// Set by `closeQueues`; nil where the server is in the process and takes uploads as long as there are.
  package private(set) var serverCounts: ServerCounts?
  private let rules: [Rule]
  /// The rules that receive each kind of event, by kind.
  private let byInterest: [[Rule]]
  /// Whether the queues had no time to empty.
  private var isCut = false

  package init(of run: JudgedRun) {
    let violations = ViolationLog(of: run)
    let ledger = Ledger(of: run, violations: violations)
    self.violations = violations
    self.ledger = ledger
    coverage = CoverageWatch(ledger)
    serverWatch = ledger.seesServer ? nil : ServerWatch(run, ledger)
    let rules = Oracle.allRules.filter { !$0.invariants.isDisjoint(with: run.checked) }.map { $0.init(ledger) }
    self.rules = rules
    byInterest = EventKind.allCases.map { kind in
      rules.filter { type(of: $0).interest.contains(Interest(of: kind)) }
    }
  }

  private static let allRules: [Rule.Type] = [
    // First, because the other rules ask it for a device's task.
    ScheduleRule.self,
    ConservationRule.self, NoDeleteBeforeAckRule.self, ByteIdentityRule.self, TemplateRule.self, StoredRecordRule.self,
    ExplainedDuplicatesRule.self,
    SingleFlightRule.self, BatchBoundsRule.self, OrderRule.self, TriggerRule.self, CellularRule.self, BoundsRule.self,
    RemovalRule.self, PurgeRule.self,
    NoWedgeRule.self, BoundedEffortRule.self, MotionRule.self, PaceRule.self, ActivityRule.self,
    TriggerActivityRule.self,
    ElapsedTimeRule.self, EndRule.self,
    OdometerRule.self, OdometerThresholdRule.self, OdometerRecordRule.self, OdometerErrorRule.self,
    OdometerTransitionRule.self,
    GeofenceRule.self, FenceStateRule.self, FenceTermsRule.self,
    GeofenceLivenessRule.self, RecordingRule.self, DistanceFilterRule.self, SignificantChangesRule.self,
    TrueValuesRule.self,
    RequestFormRule.self,
    UploadDueRule.self, HeartbeatRule.self,
    MotionLivenessRule.self, DepartureRule.self, StopTimeoutRule.self, LifecycleRule.self, AuthRule.self,
    RefreshRule.self, TokenRule.self,
    RemoteCommandsRule.self, CommandEffectRule.self,
    IdentityRule.self, ResourcesRule.self,
  ]

  package func see(_ event: SimulationEvent, _ context: EventContext) {
    ledger.enter(event, context)
    if let kind = event.kind {
      for rule in byInterest[kind.rawValue] { rule.see(event, context) }
    }
    serverWatch?.see(event, context)
    coverage.see(event, context)
    history?.see(event, context)
    ledger.leave(event, context)
  }

  /// Compares the device's own queue with the ledger.
  package func compare(_ context: EventContext, queued: Int) {
    let known = ledger.pages[context.device].waiting.count
    if known != queued {
      violations.flag(
        .conservation, context.device, at: context.now.monotonic, "\(queued) rows in its queue, \(known) expected")
    }
  }

  /// Called after the settle phase. `isCut`: the run did not wait until the queues were empty.
  package func closeQueues(at instant: MonotonicInstant, isCut: Bool) {
    for rule in rules { rule.close(at: instant) }
    self.isCut = isCut
    ledger.closeQueues(at: instant, isCut: isCut)
    serverCounts = serverWatch?.counts(at: instant, isCut: isCut) ?? (isCut ? nil : ledger.countUndeliverable())
  }

  /// Called then, to judge the server's store.
  package func closeStore(by proof: (any StoreProof)?, at instant: MonotonicInstant) {
    ledger.closeStore(by: proof, at: instant)
    if let nameless = ledger.nameless {
      verification = Verification(.notAsked, reason: RecordNaming.reason(ledger.names[nameless]))
    } else if let proof {
      verification =
        proof.refusal.map { Verification(.failed, reason: $0) }
        ?? Verification(
          .verified, comparesContents: proof.comparesContents, uncompared: ledger.contents.uncompared,
          unreadTimes: ledger.contents.unreadTimes,
          repetitions: proof.repetitions, unknownRows: ledger.unknownRows,
          rowsElsewhere: proof.rowsElsewhere, lateRecords: proof.lateRecords)
    }
    if !ledger.sums.isBalanced {
      violations.flag(.conservation, nil, at: instant, "the record counts do not add up: \(ledger.sums)")
    }
  }

  /// The outcomes of all invariants, after `closeStore`.
  package var outcomes: [InvariantOutcome] { violations.outcomes { look(at: $0) } }
}

/// The results that a run reads for its report.
extension Oracle {
  /// The memory of the states of each device.
  package var space: DeviceSpace { ledger.space }

  /// The number of records in each state; final after `closeStore`.
  package var sums: LedgerSums { ledger.sums }

  /// The sums before the server is queried: waiting records are pending, acknowledged ones unverified.
  package var unprovenSums: LedgerSums { ledger.unprovenSums }

  /// Whether enough records have left the queues to look them up in the store.
  package var needsProof: Bool { ledger.needsProof }

  /// Looks up everything that has left the queues since the last call; without a proof it stays unverified.
  package func prove(by proof: (any StoreProof)?) { ledger.prove(by: proof) }

  /// The records that the server has lost, and a sentence about the properties that they share.
  package var lost: [LostRecord] { ledger.lost }
  package var lossSentence: String? { ledger.losses.sentence }

  package var coverageSeen: [CoverageSeen] { coverage.seen }

  /// Returns the keys of those of the records that wait in the device's queue.
  package func keys(of uuids: [UUID128], waitingOn device: Int) -> [PointKey] {
    let waiting = ledger.pages[device].waiting.all
    return uuids.compactMap { uuid in
      waiting.first { $0.uuid == uuid }
        .map { PointKey(recordedAt: $0.timestamp.millisecondsSince1970, uuid: uuid) }
    }
  }

  /// Records the history of the violating records, in a second run with the same seed.
  package func follow(_ violations: [Violation]) { history = RecordHistory(ledger, of: violations) }

  /// Returns the recorded history of a violation; empty when it was not followed.
  package func story(of violation: Violation) -> [String] { history?.story(of: violation) ?? [] }
}

extension Oracle {
  private func look(at invariant: Invariant) -> ViolationLog.Exercise {
    switch invariant {
    // The ledger judges these.
    case .ackedIsDurable, .noPhantom:
      guard verification.outcome == .verified else {
        return .impossible(
          verification.outcome == .failed
            ? "the server's store could not be read" : verification.reason ?? Verification.unverified)
      }
      let sums = ledger.sums
      return look(
        sums.stored + sums.quarantined + sums.lost + sums.misled, else: "no record was acknowledged by the server")
    case .drain where isCut && ledger.sums.pending > 0:
      return .impossible("the run was ended before the queues were empty")
    case .drain where ledger.drainingCount > 0:
      return .impossible(
        "\(ledger.drainingCount.of("device")) still uploaded when the settle phase ended: set a longer clock.settle")
    case .drain where !ledger.seesServer && ledger.sums.pending > 0:
      return .impossible("an external server did not accept all records; see the findings about the server")
    case .drain where ledger.seesServer && serverCounts != nil:
      return .impossible(
        "uploads are longer than the server takes, or than their time limit; see the findings about the server")
    case .drain: return look(ledger.sums.created, else: "no record was made")
    case .dwell: return look(ledger.dwells, else: "no device dwelt in a geofence that reports dwelling")
    case .explainedDuplicates where !ledger.seesServer:
      return .impossible("requests that arrive at an external server are not visible")
    case .requestForm where ledger.configurations.allSatisfy({ $0 == nil }):
      return .impossible("the preset of the server changes the requests")
    case .isolation: return .impossible("shown by two runs, with and without the other fleets")
    default:
      let rules = rules.filter { type(of: $0).invariant == invariant }
      guard let first = rules.first else { return .impossible("not checked in this kind of run") }
      return look(rules.reduce(0) { $0 + $1.exercised }, else: type(of: first).absence)
    }
  }

  private func look(_ times: Int, else absence: String) -> ViolationLog.Exercise {
    times > 0 ? .exercised(times) : .absent(absence)
  }
}

/// The kinds of events that rules distinguish.
enum EventKind: Int, CaseIterable {
  case inserted, deleted, refused
  case sent, served, ended
  /// A reported position, of the stream or a sample.
  case location
  case motionChange
  /// Any other report, except the end of requests.
  case event
  /// The app begins, ends or is configured, the network changes, the faults end.
  case life
  /// The true movement of the body, and the battery.
  case truth
  /// The changes of the body's motion, positions far from it, and the calls of the app.
  case course
}

extension SimulationEvent {
  /// Nil for an event that no rule needs.
  fileprivate var kind: EventKind? {
    switch self {
    case .queue(.inserted): .inserted
    case .queue(.deleted): .deleted
    case .queue(.refused): .refused
    case .sent: .sent
    case .served: .served
    case .ended: .ended
    case .told(.engine(.location)): .location
    case .told(.engine(.motionChange)): .motionChange
    // The events that are judged already show this.
    case .told(.http): nil
    case .told, .sensed: .event
    case .launched, .killed, .opened, .closed, .kept, .network, .healed, .configured, .fetched: .life
    case .faultBegan, .faultEnded: .life
    case .crossed, .stood, .charged: .truth
    case .moves, .strayed, .asked, .askedToSync: .course
    // For measures only.
    case .carried, .logged, .connected, .turn: nil
    }
  }
}

/// An invariant that is checked during a run. Its memory per device is bounded.
class Rule: Watcher {
  let ledger: Ledger
  /// The number of checks; a rule without any has proven nothing.
  final var exercised = 0

  required init(_ ledger: Ledger) { self.ledger = ledger }

  class var invariant: Invariant { preconditionFailure("each rule has one") }
  /// All invariants whose violations it flags.
  class var invariants: Set<Invariant> { [invariant] }
  /// The events that the rule receives.
  class var interest: Interest { [] }

  /// The situation that a run must contain for the rule to judge anything, as half a sentence.
  class var absence: String { "the rule was never applied" }

  func see(_ event: SimulationEvent, _ context: EventContext) {}
  /// Called after the settle phase.
  func close(at instant: MonotonicInstant) {}

  final func flag(
    _ context: EventContext, _ uuid: UUID128? = nil, _ what: @autoclosure () -> String,
    story: @autoclosure () -> [String] = []
  ) {
    let instant = context.now.monotonic
    ledger.violations.flag(Self.invariant, context.device, uuid, at: instant, what(), story: story())
  }
}

/// The kinds of events that a rule receives.
struct Interest: OptionSet {
  let rawValue: UInt16

  static let inserted = Interest(of: .inserted)
  static let deleted = Interest(of: .deleted)
  static let refused = Interest(of: .refused)
  static let sent = Interest(of: .sent)
  static let served = Interest(of: .served)
  static let ended = Interest(of: .ended)
  static let location = Interest(of: .location)
  static let motionChange = Interest(of: .motionChange)
  static let event = Interest(of: .event)
  static let life = Interest(of: .life)
  static let truth = Interest(of: .truth)
  static let course = Interest(of: .course)

  static let queue: Interest = [.inserted, .deleted, .refused]
  static let told: Interest = [.location, .motionChange, .event]
}

extension Interest {
  init(of kind: EventKind) { self.init(rawValue: 1 << kind.rawValue) }
}
