package import Base

/// Numbers that a run has observed of its server: those of shards are added, and findings are derived from the sum. "Every
/// device" means every device of the run.
package struct ServerCounts: Equatable, Sendable {
  package var devices = 0
  /// The token URL; nil where the run needs none.
  package var tokenURL: String?
  /// The number of devices that registered there without receiving a token, how their requests ended, and what they
  /// sent nevertheless.
  package var devicesWithoutToken = 0
  package var registrationAnswers: [String: Int] = [:]
  package var uploadsWithoutToken = 0

  /// The time of the last answer to an upload; nil without one.
  package var lastAnswerAt: MonotonicInstant?
  /// The number of uploads since then that ended without an answer, by cause.
  package var silences: [String: Int] = [:]
  /// The ends of the latest of these, as many as make a silence, to count those of a shard after the last answer to any shard.
  package var latestSilences: [MonotonicInstant] = []
  package var openUploads = 0
  /// Whether the run ended because the server was silent; only in lockstep, which no other shard shares.
  package var isGivenUp = false

  /// The number of devices that have uploaded, of those stopped by a command, and of those stopped by their first answer.
  package var activeDevices = 0
  package var stoppedDevices = 0
  package var devicesStoppedAtOnce = 0

  package var stormingDevices = 0
  package var stormUploads = 0
  /// The device with the most uploads among them.
  package var worstStorm = ""
  package var worstStormUploads = 0

  /// Whether the run did not wait until the queues were empty.
  package var isCut = false
  /// The number of devices whose records were not accepted by the end, the first of them, and the last answers to all of them.
  package var fullDevices = 0
  package var waitingRecords = 0
  package var lastAnswers: [String: Int] = [:]
  package var fullSamples: [String] = []
  /// The number of devices whose last upload ended with a status.
  package var answeredDevices = 0

  static let silencesMin = 3
  static let samplesMax = 8

  /// The counts by their names in a summary.
  package static let numbers: [(name: String, path: any WritableKeyPath<ServerCounts, Int> & Sendable)] = [
    ("devices", \.devices), ("devicesWithoutToken", \.devicesWithoutToken),
    ("uploadsWithoutToken", \.uploadsWithoutToken), ("openUploads", \.openUploads), ("activeDevices", \.activeDevices),
    ("stoppedDevices", \.stoppedDevices), ("devicesStoppedAtOnce", \.devicesStoppedAtOnce),
    ("stormingDevices", \.stormingDevices), ("stormUploads", \.stormUploads), ("fullDevices", \.fullDevices),
    ("waitingRecords", \.waitingRecords), ("answeredDevices", \.answeredDevices),
  ]

  /// The tables of counts by their names in a summary.
  package static let words: [(name: String, path: any WritableKeyPath<ServerCounts, [String: Int]> & Sendable)] = [
    ("registrationAnswers", \.registrationAnswers), ("silences", \.silences), ("lastAnswers", \.lastAnswers),
  ]

  package init() {}

  /// Adds the counts of another shard.
  package mutating func add(_ other: ServerCounts) {
    for number in ServerCounts.numbers { self[keyPath: number.path] += other[keyPath: number.path] }
    for words in ServerCounts.words { self[keyPath: words.path].merge(other[keyPath: words.path], uniquingKeysWith: +) }
    lastAnswerAt = [lastAnswerAt, other.lastAnswerAt].compactMap(\.self).max()
    let silences = (latestSilences + other.latestSilences).filter { silence in lastAnswerAt.map { silence > $0 } ?? true
    }
    latestSilences = silences.sorted().suffix(ServerCounts.silencesMin)
    if other.worstStormUploads > worstStormUploads {
      (worstStorm, worstStormUploads) = (other.worstStorm, other.worstStormUploads)
    }
    isCut = isCut || other.isCut
    fullSamples = Array((fullSamples + other.fullSamples).prefix(ServerCounts.samplesMax))
  }
}

extension ServerCounts {
  /// Returns the findings about the server; `sums` says where the records of the run are.
  package func findings(_ sums: LedgerSums) -> [ServerFinding] {
    [registration, silence, stop, storm, isCut ? nil : drain(sums)].compactMap(\.self)
  }

  private var registration: ServerFinding? {
    guard let tokenURL, devicesWithoutToken > 0 else { return nil }
    return ServerFinding(
      ServerFinding.registrationFailed,
      "\(devicesWithoutToken) of \(devices.of("device")) got no token from \(tokenURL) (\(ServerCounts.list(registrationAnswers)))"
        + (uploadsWithoutToken > 0 ? ", and sent \(uploadsWithoutToken.of("upload")) without one" : ""))
  }

  private var silence: ServerFinding? {
    let isLong = latestSilences.count + openUploads >= ServerCounts.silencesMin
    guard isGivenUp || isLong && (!latestSilences.isEmpty || lastAnswerAt == nil) else { return nil }
    var unanswered = silences
    if openUploads > 0 { unanswered["under way at the end"] = openUploads }
    let causes = unanswered.isEmpty ? "" : " (\(ServerCounts.list(unanswered)))"
    return ServerFinding(
      ServerFinding.noAnswers,
      (lastAnswerAt.map { "the target has answered no upload since \($0.clockText) of the run\(causes)" }
        ?? "the target has answered no upload at all\(causes)")
        + (isGivenUp ? "; the run was ended, as it had waited in vain for minutes" : ""))
  }

  private var stop: ServerFinding? {
    guard activeDevices > 0, stoppedDevices == activeDevices else { return nil }
    return ServerFinding(
      ServerFinding.stoppedByAnswers,
      "every device was stopped by a command in an answer, \(devicesStoppedAtOnce) of \(stoppedDevices) by its first one"
    )
  }

  private var storm: ServerFinding? {
    guard stormingDevices > 0 else { return nil }
    return ServerFinding(
      ServerFinding.uploadStorm,
      "an upload storm: \(stormUploads.of("upload")) of \(stormingDevices.of("device")), far more than there were records: "
        + "each answer triggers the next upload",
      details: ["device \(worstStorm): \(worstStormUploads.of("upload"))"], isViolation: true)
  }

  private func drain(_ sums: LedgerSums) -> ServerFinding? {
    guard fullDevices > 0 else { return givenUp(sums) }
    return ServerFinding(
      ServerFinding.notDrained,
      "\(waitingRecords.of("record")) of \(fullDevices.of("device")) not accepted by the end (last answers: \(ServerCounts.list(lastAnswers)))",
      details: fullSamples)
  }

  /// Returns a finding when the queues are empty only because phones have discarded what the server did not accept.
  private func givenUp(_ sums: LedgerSums) -> ServerFinding? {
    let records = sums.expired + sums.evicted
    guard records > 0, records + sums.destroyed == sums.created, answeredDevices > 0 else { return nil }
    return ServerFinding(
      ServerFinding.notDrained,
      "the server has taken no record: phones have given up \(records.of("record")), for their age or for room")
  }

  /// Lists the counts, most frequent first.
  private static func list(_ counts: [String: Int]) -> String {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
  }
}
