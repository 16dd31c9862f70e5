package import Base
package import Contract
package import DeviceLog

/// The records and gaps in a phone's log, read entry by entry.
package struct LogStory: Sendable {
  /// The name that the user gave.
  package let file: String
  package private(set) var platform: DevicePlatform?
  package private(set) var zone: LogZone
  package private(set) var gaps: [Gap] = []
  /// The time before the first record and that after the last one, where they are no gaps by themselves.
  private(set) var shortEdges: [Gap] = []
  /// When each record was made, unless one alone is followed.
  private(set) var recordTimes: [WallInstant] = []
  /// The same before `finish`: in local time, with the lines that tell the offset.
  private var recordsMade: [(time: WallInstant, line: Int)] = []
  /// The number of records in the log.
  package private(set) var recordCount = 0
  package private(set) var entryCount = 0
  private(set) var begin: WallInstant?
  private(set) var end: WallInstant?
  /// The number of entries that are older than the one before them.
  private var backwardCount = 0
  private var lastLine = 0
  private var records: RecordTrails
  private var watch: GapWatch?
  private let gapMilliseconds: Int64
  private let isZoneGiven: Bool
  /// The queue that another log of the phone has left, and when that log begins.
  private let earlier: (queue: PhoneQueue, begin: WallInstant)?
  /// When the next log of the phone begins, and the queue at that time: logs may overlap.
  private let nextBegin: WallInstant?
  private var queueAtNext: PhoneQueue?

  /// `uuid` says which record is followed; nil: all of them. Gaps above `milliseconds` are told. `earlier` is the log of the
  /// same phone before this one, and `nextBegin` the beginning of the next one.
  package init(
    file: String, of uuid: UUID128?, gapsAbove milliseconds: Int64, zone: LogZone? = nil,
    after earlier: LogStory? = nil,
    before nextBegin: WallInstant? = nil
  ) {
    self.file = file
    self.nextBegin = nextBegin
    self.earlier = earlier.flatMap { earlier in
      earlier.begin.map { (earlier.queueAtNext ?? earlier.records.queue, $0) }
    }
    records = RecordTrails(of: uuid, file: file)
    gapMilliseconds = milliseconds
    isZoneGiven = zone != nil
    self.zone = zone ?? LogZone()
  }

  package mutating func take(_ passage: LogPassage, on platform: DevicePlatform) {
    self.platform = platform
    entryCount += 1
    if begin == nil, let earlier, earlier.begin <= passage.time { records.resume(from: earlier.queue) }
    if let nextBegin, queueAtNext == nil, nextBegin <= passage.time { queueAtNext = records.queue }
    if let end, passage.time < end { backwardCount += 1 }
    begin = begin ?? passage.time
    (end, lastLine) = (passage.time, passage.line)
    // Years come from the log even if the offset is given.
    zone.take(passage, keepsOffset: isZoneGiven)
    records.take(passage)
    var watch = self.watch ?? GapWatch(passage, platform: platform, file: file)
    watch.take(passage)
    let recorded = passage.contents.count { if case .inserted = $0 { true } else { false } }
    if recorded > 0 {
      let edge: Gap.Edge = recordCount == 0 ? .logBegins : .none
      recordCount += recorded
      if !records.followsOne { recordsMade.append((passage.time, passage.line)) }
      close(watch.record(passage), at: passage.time, line: passage.line, edge, watch.state)
    }
    self.watch = watch
  }

  /// Completes the log after its last entry, and converts local times to instants. `written` is when the file was last changed:
  /// a log of Android may name no year.
  package mutating func finish(written: WallInstant? = nil) {
    if let written, let end { zone.assumeYear(of: end, writtenBy: written) }
    if recordCount > 0, var watch {
      let (findings, end) = watch.end()
      close(findings, at: end, line: lastLine, .logEnds, watch.state)
    }
    records.finish()
    watch = nil
    let dated = (gaps + shortEdges).map { zone.dated($0) }
    gaps = dated.filter { $0.milliseconds > gapMilliseconds }
    shortEdges = dated.filter { $0.milliseconds <= gapMilliseconds && $0.edge != .none }
    recordTimes = recordsMade.map { zone.instant(of: $0.time, line: $0.line) }
    findHiddenGaps()
    recordsMade = []
  }

  /// Finds gaps that the clock hides, because it was set back meanwhile.
  private mutating func findHiddenGaps() {
    let known = Set(gaps.map(\.from))
    for (index, times) in zip(recordTimes, recordTimes.dropFirst()).enumerated() where !known.contains(times.0) {
      guard times.1.milliseconds(since: times.0) > gapMilliseconds else { continue }
      gaps.append(
        Gap(
          from: times.0, to: times.1, lines: recordsMade[index].line...recordsMade[index + 1].line, place: file,
          edge: .none, causes: [.unknown], reason: "the phone's clock was set back meanwhile", evidence: []))
    }
  }

  /// Whether the entries go from the latest to the oldest, so that nothing can be followed.
  package var isBackward: Bool { entryCount > 2 && backwardCount > entryCount / 2 }

  private mutating func close(
    _ findings: GapWatch.Findings, at end: WallInstant, line: Int, _ edge: Gap.Edge, _ state: LoggedState
  ) {
    let isGap = end.milliseconds(since: findings.start) > gapMilliseconds
    guard isGap || edge != .none else { return }
    let gap = Gap(findings, endingAt: end, line: line, file: file, edge: edge, state)
    if isGap { gaps.append(gap) } else { shortEdges.append(gap) }
  }

  /// Returns the trail with times as instants.
  func trail(of uuid: UUID128) -> RecordTrail? { records.trails[uuid].map(zone.dated) }

  var uuids: Dictionary<UUID128, RecordTrail>.Keys { records.trails.keys }

  /// Whether one uuid represents many records, because the log was anonymized.
  var isBlanked: Bool {
    recordCount > 1 && records.trails.count == 1 && records.trails.values.allSatisfy { $0.insertCount > 1 }
  }

  func isInserted(_ uuid: UUID128) -> Bool { records.trails[uuid]?.inserted != nil }

  /// Whether the log shows that it was acknowledged. Of one that was made before, the answer itself must be there.
  func isAcknowledged(_ uuid: UUID128, madeBefore: Bool) -> Bool {
    guard let trail = records.trails[uuid] else { return false }
    return madeBefore ? trail.acknowledged != nil : trail.destroyed != nil
  }

  /// Returns the time at which the record was made, or else, of one that was made before the log begins, when it was deleted as
  /// acknowledged; nil when the log shows neither.
  func instant(of uuid: UUID128) -> WallInstant? {
    guard let trail = trail(of: uuid) else { return nil }
    return trail.inserted?.time ?? (trail.acknowledged != nil ? trail.destroyed?.time : nil)
  }

  /// Returns the last instant at which the phone may have deleted the record as acknowledged.
  func latestDestruction(of uuid: UUID128) -> WallInstant? { trail(of: uuid)?.destroyed?.time.map(zone.latest) }

  /// The period that the log covers.
  package var span: ClosedRange<WallInstant>? {
    guard let begin, let end else { return nil }
    let instants = (zone.instant(of: begin, line: 0), zone.instant(of: end, line: .max))
    return instants.0 <= instants.1 ? instants.0...instants.1 : nil
  }
}

extension LogZone {
  func dated(_ evidence: Evidence) -> Evidence {
    guard let time = evidence.time, let line = evidence.line else { return evidence }
    var dated = evidence
    dated.time = instant(of: time, line: line)
    return dated
  }

  func dated(_ gap: Gap) -> Gap {
    var dated = gap
    dated.from = instant(of: gap.from, line: gap.lines?.lowerBound ?? 0)
    dated.to = instant(of: gap.to, line: gap.lines?.upperBound ?? 0)
    dated.evidence = gap.evidence.map { self.dated($0) }
    return dated
  }

  func dated(_ trail: RecordTrail) -> RecordTrail {
    func dated(_ attempt: RecordTrail.Attempt) -> RecordTrail.Attempt {
      .init(status: attempt.status, evidence: self.dated(attempt.evidence))
    }
    var result = trail
    result.inserted = trail.inserted.map { self.dated($0) }
    result.fix?.time = isKnown ? trail.fix?.time.map { instant(of: $0, line: trail.inserted?.line ?? 0) } : nil
    result.refusals = trail.refusals.map(dated)
    result.acknowledged = trail.acknowledged.map(dated)
    result.destroyed = trail.destroyed.map { self.dated($0) }
    result.deletedByApp = trail.deletedByApp.map { self.dated($0) }
    result.presumedGone = trail.presumedGone.map { self.dated($0) }
    result.answered = trail.answered.map(dated)
    result.heldBack = trail.heldBack.map { self.dated($0) }
    return result
  }
}
