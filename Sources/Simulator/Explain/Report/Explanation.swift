import BackendStore
package import Base

/// The result of `explain`: for one record, or for a device and its gaps.
package struct Explanation: Sendable {
  /// The subject of the question.
  package enum Subject: Sendable {
    case record(UUID128)
    /// Instants; nil: unbounded.
    case stretch(device: String, from: WallInstant?, to: WallInstant?)
  }

  /// The severity, for exit codes.
  package enum Outcome: Sendable {
    /// Nothing is wrong with the backend.
    case innocent
    /// A record was rejected and is still on the phone.
    case refused
    /// An acknowledged record is not stored as it was sent.
    case broken
    /// The sources do not show it.
    case unknown
  }

  package let subject: Subject
  package let outcome: Outcome
  /// The verdict in one line.
  package let verdict: String
  package let gaps: [Gap]
  /// The number of records by fate; for one record, or for all in the period.
  package let fates: [(fate: RecordFate, count: Int)]
  /// The extent of comparison of records that are stored once.
  package let content: ContentTally
  /// Individual stories: of the requested record, or of those in the period that are not stored once as sent.
  package let stories: [RecordStory]
  /// The limitations of the answer.
  package let notes: [String]
  package let zone: LogZone

  /// The number of similar stories beyond which only the counts are reported.
  private static let storiesMax = 1_000
}

extension Explanation {
  /// Explains one record.
  package init(of uuid: UUID128, _ join: RecordJoin) {
    let story = join.story(of: uuid)
    subject = .record(uuid)
    verdict = "\(uuid.text)\(story.device.map { " of '\($0)'" } ?? ""): \(story.words)"
    outcome = Explanation.outcome(of: [(story.fate, 1)])
    gaps = []
    fates = [(story.fate, 1)]
    var content = ContentTally()
    if story.fate == .stored { content.count(story.compared) }
    self.content = content
    stories = [story]
    zone = join.zone
    notes = join.notes + join.notes(on: [story.fate])
  }

  /// Explains the gaps and the records of a device.
  package init(of device: String, from: WallInstant?, to: WallInstant?, gapMilliseconds: Int64, _ join: RecordJoin) {
    let window = (from ?? .earliest)...max(from ?? .earliest, to ?? .latest)
    subject = .stretch(device: device, from: from, to: to)
    let gaps =
      (join.logs.isEmpty
      ? join.gapsWithoutLog(of: device, above: gapMilliseconds) : join.gapsInLogs(above: gapMilliseconds))
      .filter { $0.from < window.upperBound && $0.to > window.lowerBound }
      .sorted { $0.from < $1.from }
    let records = join.records(of: device, in: window)
    let counted = Explanation.judge(records, join)
    self.gaps = gaps
    fates = counted.fates
    content = counted.content
    stories = counted.stories
    zone = join.zone
    var notes = join.notes + content.notes + join.notes(on: fates.map(\.fate))
    if counted.left > 0 { notes.append("\(counted.left) more records are only counted") }
    // Of other times a log tells nothing, also not that there is no gap.
    let logs = join.logs.contains { $0.span?.overlaps(window) ?? true } ? join.logs : []
    let namesRecords = logs.contains { $0.recordCount > 0 }
    let unseen = namesRecords ? [] : join.requests?.unseen.words ?? []
    notes += unseen
    let isBlanked = join.logs.contains(where: \.isBlanked)
    // Of a blanked log no record is looked up, whatever the other sources have.
    let isUnread = isBlanked && (join.requests != nil || join.store != nil)
    outcome = Explanation.outcome(
      of: fates, hasLog: namesRecords, hasGaps: !gaps.isEmpty, isWhole: unseen.isEmpty && !isUnread)
    let spans = join.logs.compactMap(\.span)
    if logs.isEmpty, let first = spans.map(\.lowerBound).min(), let last = spans.map(\.upperBound).max() {
      notes.append("no log tells of this time: they go from \(first.iso8601Text) to \(last.iso8601Text)")
    }
    self.notes = notes
    verdict = Explanation.verdict(
      device, gaps, fates, content, above: gapMilliseconds, logs: logs, isBlanked: isBlanked)
  }

  private static func judge(
    _ records: [UUID128], _ join: RecordJoin
  ) -> (fates: [(fate: RecordFate, count: Int)], content: ContentTally, stories: [RecordStory], left: Int) {
    var content = ContentTally()
    guard !join.logs.contains(where: \.isBlanked) else { return ([], content, [], 0) }
    var counts: [RecordFate: Int] = [:]
    var stories: [RecordStory] = []
    var left = 0
    for uuid in records {
      let story = join.story(of: uuid)
      counts[story.fate, default: 0] += 1
      if story.fate == .stored { content.count(story.compared) }
      guard story.fate != .stored, story.fate != .acknowledged else { continue }
      if stories.count < storiesMax { stories.append(story) } else { left += 1 }
    }
    let fates = RecordFate.allCases.compactMap { fate in counts[fate].map { (fate: fate, count: $0) } }
    return (fates, content, stories, left)
  }

  /// `isWhole`: whether all acknowledged records were looked up. Without a log, acknowledged records are all that is known, and
  /// without a store nothing of these.
  private static func outcome(
    of fates: [(fate: RecordFate, count: Int)], hasLog: Bool = false, hasGaps: Bool = false, isWhole: Bool = true
  ) -> Outcome {
    func has(_ fate: RecordFate) -> Bool { fates.contains { $0.fate == fate } }
    if fates.contains(where: { $0.fate.isBackendsFault }) { return .broken }
    if has(.refused) { return .refused }
    if has(.notJudged) || has(.ambiguous) || !isWhole || !hasLog && has(.acknowledged) { return .unknown }
    return hasLog || hasGaps || fates.contains { $0.fate != .unknown } ? .innocent : .unknown
  }

  private static func verdict(
    _ device: String, _ gaps: [Gap], _ fates: [(fate: RecordFate, count: Int)], _ content: ContentTally,
    above milliseconds: Int64, logs: [LogStory], isBlanked: Bool
  ) -> String {
    var parts: [String] = []
    let faults = fates.filter { $0.fate.isBackendsFault }
    for (fate, count) in faults { parts.append("\(StoryText.count(count, "record")) \(fate.words)") }
    if !logs.isEmpty || !gaps.isEmpty {
      let causes = Gap.Cause.allCases.compactMap { cause -> String? in
        let all = gaps.filter { $0.causes.first == cause }
        let asleep = cause == .suspended ? 0 : all.count { $0.causes.contains(.suspended) }
        return all.isEmpty ? nil : "\(all.count) \(cause.words)" + (asleep > 0 ? " (\(asleep) of them suspended)" : "")
      }
      let span = StoryText.span(milliseconds: milliseconds)
      parts.append(
        gaps.isEmpty
          ? "no gap above \(span)"
          : "\(StoryText.count(gaps.count, "gap")) above \(span): \(causes.joined(separator: ", "))")
    }
    let rest = fates.filter { !$0.fate.isBackendsFault }.flatMap { fate, count in
      fate == .stored ? content.words : ["\(count) \(fate.words)"]
    }
    if !rest.isEmpty { parts.append("records: " + rest.joined(separator: ", ")) }
    if isBlanked { parts.append("the uuids of the log were blanked, so that its records cannot be looked up") }
    if parts.isEmpty { parts.append("no source knows anything of it") }
    return "\(device): " + parts.joined(separator: "; ")
  }
}

extension RecordJoin {
  /// The phone's time zone, for output.
  fileprivate var zone: LogZone { logs.first { $0.zone.isKnown }?.zone ?? logs.first?.zone ?? LogZone() }

  fileprivate var notes: [String] {
    var notes: [String] = []
    for log in logs {
      if log.recordCount == 0 {
        notes.append(
          "\(log.file) shows no record: set logger.logLevel to verbose, or look into another stretch of time")
      }
      if !log.zone.isKnown {
        notes.append("\(log.file) does not show the phone's time zone; its times are taken as UTC (--utc-offset)")
      }
      if let year = log.zone.assumedYear {
        notes.append(
          "\(log.file) does not show the year; \(year) is taken, by the time at which the file was last changed")
      }
    }
    if let requests, requests.cutBodyCount > 0 {
      notes.append(requests.cutBodyWords)
    }
    if let requests, requests.sightings.isEmpty, !requests.otherRuns.isEmpty {
      notes.append("another run has requests of it: \(requests.otherRuns.prefix(5).joined(separator: ", "))")
    }
    if let store {
      if let silence = store.silence { notes.append("\(store.place) does not show what is missing: \(silence)") }
      if unaskedCount > 0 {
        notes.append(
          "records that are stored under another device too are not seen: \(StoryText.count(unaskedCount, "device")) were not searched (--device, or ask by uuid)"
        )
      }
    }
    return notes
  }

  /// Returns a note that the phone's log shows an answer, but not which component sent it.
  fileprivate func notes(on fates: [RecordFate]) -> [String] {
    guard requests == nil, !logs.isEmpty, fates.contains(.lost) else { return [] }
    return [
      "without a journal each answer counts as the backend's: one of a proxy, a portal or an injected fault (pretend) looks the same in the phone's log (--journal)"
    ]
  }

  /// Returns the records made in the window: by a log, otherwise by their own timestamp, otherwise by the first request with
  /// them. Without a log, records that only the store has count as well.
  fileprivate func records(of device: String, in window: ClosedRange<WallInstant>) -> [UUID128] {
    var times: [UUID128: WallInstant] = [:]
    for log in logs {
      for uuid in log.uuids { if let time = log.instant(of: uuid), window.contains(time) { times[uuid] = time } }
    }
    if let requests {
      for (uuid, sightings) in requests.sightings where times[uuid] == nil {
        let seen = sightings.lazy.map { requests.requests[Int($0.request)] }
        guard let first = seen.first(where: { $0.device == device }) else { continue }
        let time = requests.instant(of: uuid) ?? first.time
        if window.contains(time) { times[uuid] = time }
      }
    }
    if let requests {
      // What another device has sent, and the store has under this one.
      for uuid in foreign.keys {
        guard let time = requests.instant(of: uuid) ?? requests.requests(with: uuid).first?.time else { continue }
        if window.contains(time) { times[uuid] = time }
      }
    }
    guard logs.isEmpty, let store else { return sorted(times) }
    for (uuid, rows) in store.rows where times[uuid] == nil && requests?.sightings[uuid] == nil {
      guard let row = rows.first(where: { $0.device == device }) else { continue }
      // Of an unknown time it belongs to all of them, and to no part.
      let time = row.record.value("timestamp")?.instant ?? .earliest
      if window.contains(time) { times[uuid] = time }
    }
    return sorted(times)
  }

  private func sorted(_ times: [UUID128: WallInstant]) -> [UUID128] {
    times.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
  }
}
