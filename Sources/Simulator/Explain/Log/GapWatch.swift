import Base
import Contract
import DeviceLog
import Vocabulary

/// Collects the facts in a log between two records.
struct GapWatch {
  /// The facts about the period before the next record.
  struct Findings {
    /// False at the beginning of the log.
    var startsWithRecord = false
    var start: WallInstant
    var startLine: Int
    var milliseconds: [LoggedState.Mode: Int64] = [:]
    var events = GapEvents()
    var suspended: Int64 = 0
    var ended: Int64 = 0
    var longestQuiet: Int64 = 0
    var fixes = 0
    /// The distance filter after the last record, in metres.
    var distanceFilter: Double?
    /// The distance filter at the next position: location updates that are restarted begin with the configured one.
    var nextDistanceFilter: Double?
    /// The place of the last record.
    var place: Coordinate?
    var accuracy: Double?
    /// The last place of the phone before the next record.
    var lastPlace: Coordinate?
    var lastAccuracy: Double?
  }

  private(set) var findings: Findings
  private(set) var state: LoggedState
  private var silences = SilenceWatch()
  private var last: WallInstant
  private var pending: Evidence?
  private let file: String

  /// A record follows its fix within this time.
  private static let recordWithin: Int64 = 2_000

  init(_ passage: LogPassage, platform: DevicePlatform, file: String) {
    findings = Findings(start: passage.time, startLine: passage.line)
    state = LoggedState(platform)
    last = passage.time
    self.file = file
  }

  mutating func take(_ passage: LogPassage) {
    let mode = state.mode
    let span = max(0, passage.time.milliseconds(since: last))
    if let silence = silences.take(passage.time, state) { take(silence, before: passage) }
    if let pending, let time = pending.time, passage.time.milliseconds(since: time) > GapWatch.recordWithin {
      self.pending = nil
      findings.events.add(.unrecorded, pending)
    }
    for content in passage.contents {
      take(content, passage)
      state.take(content)
    }
    // The time in an unknown mode is attributed to the first known mode.
    findings.milliseconds[mode == .unknown ? state.mode : mode, default: 0] += span
    if mode == .unknown, state.mode != .unknown, let unknown = findings.milliseconds.removeValue(forKey: .unknown) {
      findings.milliseconds[state.mode, default: 0] += unknown
    }
    last = passage.time
  }

  /// Ends the period with a record and begins the next.
  mutating func record(_ passage: LogPassage) -> Findings {
    pending = nil
    let whole = findings
    findings = Findings(startsWithRecord: true, start: passage.time, startLine: passage.line)
    findings.distanceFilter = state.distanceFilter
    findings.place = whole.lastPlace ?? whole.place
    findings.accuracy = whole.lastAccuracy ?? whole.accuracy
    return whole
  }

  /// Ends the period with the log.
  mutating func end() -> (findings: Findings, end: WallInstant) {
    if let pending { findings.events.add(.unrecorded, pending) }
    return (findings, last)
  }

  private mutating func take(_ silence: Silence, before passage: LogPassage) {
    switch silence.cause {
    case .suspended: findings.suspended += silence.milliseconds
    case .ended: findings.ended += silence.milliseconds
    case .quiet: findings.longestQuiet = max(findings.longestQuiet, silence.milliseconds)
    }
    let start = passage.time.advanced(byMilliseconds: -silence.milliseconds)
    findings.events.add(
      .silence,
      Evidence(
        silence.words, place: file, line: passage.line, time: start, quote: "next line: \(EntryQuote.of(passage.text))")
    )
  }

  private mutating func take(_ content: LogFact.Content, _ passage: LogPassage) {
    switch content {
    case .fix(let fix, let number, _):
      seen(fix)
      if number == 0 { note(passage) }
    case .significantFix(let fix, _):
      seen(fix)
      note(passage)
    case .movingGeofenceExit(let fix), .geofenceTrigger(_, let fix, _): seen(fix)
    case .passiveFix: add(.passive, "a position of another app", passage)
    case .tracking(_, _, let metres): findings.nextDistanceFilter = metres
    case .filterDecision(let trace):
      findings.nextDistanceFilter = trace.distanceFilter
      if trace.decision == .rejected { reject("a position came and was rejected: \(trace.reason)", passage) }
    case .fixIgnored: reject("a position came and was ignored", passage)
    case .significantFixDropped: reject("a position came and was dropped", passage)
    case .launched, .configuration:
      if let silence = silences.launch(at: passage.time) { ended(silence) }
      fallthrough
    default: if let (kind, words) = GapEvents.Kind.of(content) { add(kind, words, passage) }
    }
  }

  private mutating func ended(_ silence: Silence) {
    findings.suspended = max(0, findings.suspended - silence.milliseconds)
    findings.ended += silence.milliseconds
    findings.events.replaceWords(.silence, silence.words)
  }

  private mutating func seen(_ fix: Fix) {
    findings.lastPlace = fix.coords.place ?? findings.lastPlace
    findings.lastAccuracy = fix.coords.accuracy
  }

  private mutating func note(_ passage: LogPassage) {
    findings.fixes += 1
    if let pending { findings.events.add(.unrecorded, pending) }
    pending = evidence("a position came and was not recorded", passage)
  }

  private mutating func reject(_ words: String, _ passage: LogPassage) {
    pending = nil
    add(.rejected, words, passage)
  }

  private mutating func add(_ kind: GapEvents.Kind, _ words: String, _ passage: LogPassage) {
    findings.events.add(kind, evidence(words, passage))
  }

  private func evidence(_ words: String, _ passage: LogPassage) -> Evidence {
    let (quote, below) = EntryQuote.found(in: passage.text)
    return Evidence(words, place: file, line: passage.line + below, time: passage.time, quote: quote)
  }
}
