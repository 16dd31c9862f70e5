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
  private var lastLine = 0
  private var records: RecordTrails
  private var watch: GapWatch?
  private let gapMilliseconds: Int64
  private let isZoneGiven: Bool
  /// What another log of the phone has left, and when it ends.
  private let earlier: (records: RecordTrails, end: WallInstant)?

  /// `uuid` says which record is followed; nil: all of them. Gaps above so many milliseconds are told. `earlier` is a log of the
  /// same phone, in which this one goes on where it begins behind it.
  package init(
    file: String, of uuid: UUID128?, gapsAbove milliseconds: Int64, zone: LogZone? = nil, after earlier: LogStory? = nil
  ) {
    self.file = file
    self.earlier = earlier.flatMap { earlier in earlier.end.map { (earlier.records, $0) } }
    records = RecordTrails(of: uuid, file: file)
    gapMilliseconds = milliseconds
    isZoneGiven = zone != nil
    self.zone = zone ?? LogZone()
  }

  package mutating func take(_ passage: LogPassage, on platform: DevicePlatform) {
    self.platform = platform
    entryCount += 1
    if begin == nil, let earlier, earlier.end <= passage.time { records.goOn(from: earlier.records) }
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
    gaps = gaps.map { zone.dated($0) }
    shortEdges = shortEdges.map { zone.dated($0) }
    recordTimes = recordsMade.map { zone.instant(of: $0.time, line: $0.line) }
    recordsMade = []
  }

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

  func isDestroyed(_ uuid: UUID128) -> Bool { records.trails[uuid]?.destroyed != nil }

  /// Returns the time at which the record was made; nil when the log does not contain it.
  func instant(of uuid: UUID128) -> WallInstant? { trail(of: uuid)?.inserted?.time }

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
    result.droppedByPhone = trail.droppedByPhone.map { self.dated($0) }
    result.heldBack = trail.heldBack.map { self.dated($0) }
    return result
  }
}
