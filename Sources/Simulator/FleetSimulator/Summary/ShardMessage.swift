package import Base
package import JSON
package import Oracle
import Scenario

/// A message from a shard to its parent process, as a line of JSON.
package enum ShardMessage: Equatable, Sendable {
  /// In real time: all preparations are complete, and the drives can begin.
  case ready
  case progress(RunProgress)
  /// The result so far, where the whole is judged during the run.
  case interimSummary(RunSummary)
  case result(ShardResult)
  /// An error, and the files that it leaves incomplete. Without a result it is the reason for that.
  case failure(String, files: [String])

  package var json: JSONValue {
    switch self {
    case .ready: .object(["ready": .bool(true)])
    case .progress(let progress): .object(["progress": progress.json])
    case .interimSummary(let summary): .object(["interim": summary.json])
    case .result(let result): .object(["result": result.json])
    case .failure(let reason, let files):
      .object(["failure": .string(reason), "files": .array(files.map { .string($0) })])
    }
  }

  package init(_ json: JSONValue) throws(SummaryError) {
    let node = SummaryNode(value: json, path: "shard")
    if node.optional("ready") != nil {
      self = .ready
    } else if let progress = node.optional("progress") {
      self = .progress(try RunProgress(progress))
    } else if let early = node.optional("interim") {
      self = .interimSummary(try RunSummary(early.value))
    } else if let failure = node.optional("failure") {
      let files = try node.member("files").elements()
      self = .failure(
        try failure.text(), files: try files.map { (file) throws(SummaryError) in try file.text() })
    } else {
      self = .result(try ShardResult(node.member("result")))
    }
  }
}

/// The result of a shard: more than its summary, because the whole has a map and counts coverage.
package struct ShardResult: Equatable, Sendable {
  package var summary: RunSummary
  package var tracks: [RunMap.Track]
  package var coverage: [CoverageSeen]
  /// Whether a second run of the same setup differed.
  package var differs: Bool
  /// The instants of the remarks in the summary.
  package var remarkedAt: [MonotonicInstant]

  package init(
    summary: RunSummary, tracks: [RunMap.Track], coverage: [CoverageSeen], differs: Bool,
    remarkedAt: [MonotonicInstant]
  ) {
    (self.summary, self.tracks, self.coverage, self.differs) = (summary, tracks, coverage, differs)
    self.remarkedAt = remarkedAt
  }

  fileprivate var json: JSONValue {
    .object([
      "summary": summary.json, "tracks": .array(tracks.map(\.json)), "coverage": CoverageSeen.json(of: coverage),
      "differs": .bool(differs), "remarkedAt": .array(remarkedAt.map { .integer($0.nanoseconds) }),
    ])
  }

  fileprivate init(_ node: SummaryNode) throws(SummaryError) {
    summary = try RunSummary(node.member("summary").value)
    tracks = []
    for track in try node.member("tracks").elements() { tracks.append(try RunMap.Track(track)) }
    coverage = try CoverageSeen.list(node.member("coverage"))
    differs = try node.member("differs").flag()
    remarkedAt = []
    for instant in try node.member("remarkedAt").elements() {
      remarkedAt.append(MonotonicInstant(nanoseconds: try instant.nanoseconds()))
    }
  }
}

extension ShardResult {
  /// Combines all shards of a run, except missing ones; `endings` as for summaries. Throws a sentence when they are not those
  /// of one run, or not all.
  package static func whole(
    of shards: [ShardResult], missing: [MissingShard] = [], endedBy endings: [Int] = []
  ) throws(MergeError) -> ShardResult {
    var counts: [CoverageGoal: Int] = [:]
    for seen in shards.flatMap(\.coverage) { counts[seen.goal, default: 0] += seen.count }
    let tracks = shards.flatMap(\.tracks).sorted { ($0.fleet, $0.member) < ($1.fleet, $1.member) }
    var summary = try RunSummary.whole(of: shards.map(\.summary), missing: missing, endedBy: endings)
    let remarks = remarks(of: shards, fleets: summary.fleets.map(\.name))
    summary.remarks = remarks.map(\.story)
    return ShardResult(
      summary: summary, tracks: tracks,
      coverage: CoverageGoal.allCases.map { CoverageSeen(goal: $0, count: counts[$0, default: 0]) },
      differs: shards.contains(where: \.differs), remarkedAt: remarks.map(\.instant))
  }

  /// Returns as many remarks as one run reports, in the order of one process: by time, and at one instant by device.
  private static func remarks(
    of shards: [ShardResult], fleets: [String]
  ) -> [(instant: MonotonicInstant, story: ViolationStory)] {
    let all = shards.flatMap { zip($0.remarkedAt, $0.summary.remarks) }
    func place(_ story: ViolationStory) -> (Int, Int) {
      let device = DeviceName(story.device)
      return (fleets.firstIndex(of: device.fleet) ?? fleets.count, device.number)
    }
    let sorted = all.sorted { left, right in
      left.0 == right.0 ? place(left.1) < place(right.1) : left.0 < right.0
    }
    return sorted.prefix(ViolationLog.violationsMax).map { (instant: $0.0, story: $0.1) }
  }
}

/// A device's name, as in `couriers-17`.
private struct DeviceName {
  let fleet: String
  let number: Int

  init(_ name: String) {
    let end = name.lastIndex(of: "-") ?? name.endIndex
    fleet = String(name[..<end])
    number = Int(name[end...].dropFirst()) ?? 0
  }
}

extension CoverageSeen {
  static func json(of coverage: [CoverageSeen]) -> JSONValue {
    var seen = JSONObject()
    for goal in coverage { seen[goal.goal.rawValue] = .integer(Int64(goal.count)) }
    return .object(seen)
  }

  static func list(_ node: SummaryNode) throws(SummaryError) -> [CoverageSeen] {
    var coverage: [CoverageSeen] = []
    for (name, count) in try node.members() {
      guard let goal = CoverageGoal(rawValue: name) else { throw SummaryError("\(count.path): unknown coverage goal") }
      coverage.append(CoverageSeen(goal: goal, count: try count.count()))
    }
    return coverage
  }
}

extension RunProgress {
  /// Combines the progress of all shards; the slowest determines the share.
  package static func whole(of shards: [RunProgress]) -> RunProgress {
    let slowest = shards.map(\.share).min() ?? 0
    let failing = shards.max { $0.errors < $1.errors }
    return RunProgress(
      share: slowest, isSettling: shards.allSatisfy(\.isSettling), devices: shards.reduce(0) { $0 + $1.devices },
      uploadsPerSecond: shards.reduce(0) { $0 + $1.uploadsPerSecond },
      p95Milliseconds: shards.compactMap(\.p95Milliseconds).max(), backlog: shards.reduce(0) { $0 + $1.backlog },
      errors: shards.reduce(0) { $0 + $1.errors }, mostFrequentError: failing?.mostFrequentError,
      settlesFor: shards.compactMap(\.settlesFor).max())
  }

  fileprivate var json: JSONValue {
    .object([
      "share": .double(share), "isSettling": .bool(isSettling), "devices": .integer(Int64(devices)),
      "uploadsPerSecond": .double(uploadsPerSecond), "p95Milliseconds": p95Milliseconds.map { .double($0) } ?? .null,
      "backlog": .integer(Int64(backlog)), "errors": .integer(Int64(errors)),
      "mostFrequentError": mostFrequentError.map { .string($0) } ?? .null,
      "settlesFor": settlesFor.map { .integer($0.count) } ?? .null,
    ])
  }

  fileprivate init(_ node: SummaryNode) throws(SummaryError) {
    self.init(
      share: try node.member("share").number(), isSettling: try node.member("isSettling").flag(),
      devices: try node.member("devices").count(), uploadsPerSecond: try node.member("uploadsPerSecond").number(),
      p95Milliseconds: try node.optional("p95Milliseconds")?.number(), backlog: try node.member("backlog").count(),
      errors: try node.member("errors").count(), mostFrequentError: try node.optional("mostFrequentError")?.text(),
      settlesFor: (try node.optional("settlesFor")?.nanoseconds()).map { Nanoseconds($0) })
  }
}

extension RunMap.Track {
  fileprivate var member: Int { DeviceName(device).number }

  fileprivate var json: JSONValue {
    .object([
      "device": .string(device), "fleet": .integer(Int64(fleet)),
      "places": .array(places.flatMap { [.double($0.latitude), .double($0.longitude)] }),
    ])
  }

  fileprivate init(_ node: SummaryNode) throws(SummaryError) {
    let numbers = try node.member("places").elements()
    var places: [Coordinate] = []
    for index in stride(from: 0, to: numbers.count - 1, by: 2) {
      guard let place = Coordinate(latitude: try numbers[index].number(), longitude: try numbers[index + 1].number())
      else { throw SummaryError("\(numbers[index].path): not a place on the earth") }
      places.append(place)
    }
    self.init(
      device: try node.member("device").text(), fleet: try node.member("fleet").count(), places: places)
  }
}
