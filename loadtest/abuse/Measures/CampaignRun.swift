import Base
import Support

/// One kind of abuse with honest clients beside it, before and meanwhile.
struct CampaignRun {
  let bench: Bench
  let campaign: Campaign

  struct Outcome {
    var calm = Tally()
    var abused = Tally()
    var opened = 0
    var ended = 0
    /// The most sockets of the abusers that the server had open at once.
    var openAtOnce = 0
    /// From the last connect of an abuser to the close of the last of their sockets; nil when some stayed.
    var closedAfter: Nanoseconds?
    var residentKiB = 0
    var grownKiB = 0
    var processorSeconds = 0.0
    /// Uploads without an answer.
    var unanswered = 0
  }

  static let canaries = 20
  /// 400 uploads a second in all.
  static let period = Nanoseconds.milliseconds(50)
  static let latencyMaxMilliseconds = 50.0
  static let growthMaxKiB = 32 * 1_024

  func run() throws(Trouble) -> Outcome {
    let name = campaign.name.split { !$0.isLetter }.joined()
    let server = try bench.start(name, ["--idle-timeout", "\(Campaign.idleSeconds)s"])
    defer { server.stop() }
    try bench.warm(server)
    let tally = TallyBox()
    let canaries = try Crowd(uploaders: Self.canaries, every: Self.period, port: server.port, salt: 2, tally)
    bench.pause(.seconds(2))
    var outcome = Outcome()
    _ = tally.take()
    bench.pause(.seconds(5))
    outcome.calm = tally.take()
    try abuse(server, &outcome)
    outcome.abused = tally.take()
    bench.pause(.seconds(1))
    canaries.end()
    let rest = tally.take()
    let seen = [outcome.calm, outcome.abused, rest]
    // What was sent in the last moment may still be owed.
    outcome.unanswered = max(0, seen.reduce(0) { $0 + $1.sent - $1.answered - $1.broken } - Self.canaries)
    return outcome
  }

  private func abuse(_ server: ServerProcess, _ outcome: inout Outcome) throws(Trouble) {
    let socketsBefore = server.sockets
    outcome.residentKiB = server.memory.now
    try server.forgetPeak()
    let processorBefore = server.processorSeconds
    let box = AbuseBox()
    let begin = bench.clock.monotonicNow
    let end = begin + campaign.lasts
    let abusers = try Crowd(campaign.habits, until: end, port: server.port, box)
    let isPassing = campaign.habits.contains { $0.returnsAfter != nil }
    while true {
      bench.pause(.milliseconds(100))
      let now = bench.clock.monotonicNow
      let open = server.sockets - socketsBefore
      outcome.openAtOnce = max(outcome.openAtOnce, open)
      let count = box.value
      // All have come, and nobody comes back.
      let isOver = isPassing ? now > end : now > begin + .seconds(2) && count.opened >= campaign.connections
      if isOver, open <= 0 {
        outcome.closedAfter = max(.zero, now - count.lastOpened)
        break
      }
      if now > max(end, count.lastOpened) + campaign.allowed + .seconds(15) { break }
    }
    outcome.grownKiB = server.memory.peak - outcome.residentKiB
    outcome.processorSeconds = server.processorSeconds - processorBefore
    outcome.opened = box.value.opened
    outcome.ended = box.value.ended
    abusers.end()
  }

  func isGood(_ outcome: Outcome) -> Bool {
    guard let closedAfter = outcome.closedAfter else { return false }
    return closedAfter <= campaign.allowed && outcome.abused.milliseconds(0.99) <= Self.latencyMaxMilliseconds
      && outcome.grownKiB <= Self.growthMaxKiB && outcome.abused.broken + outcome.abused.refused == 0
      && outcome.unanswered == 0
  }
}

/// The table of all kinds.
extension CampaignRun {
  static func all(_ bench: Bench, named names: [String]) throws(Trouble) -> Bool {
    for name in names where !Campaign.all.contains(where: { $0.name == name }) {
      throw Trouble("no abuse is called \"\(name)\"; there are: \(Campaign.all.map(\.name).joined(separator: ", "))")
    }
    print(
      Text.left("abuse", 24), "opened", " at once", "closed after/allowed s", "   canary p50", "  p99 (calm)",
      "  longest",
      " failed", "grown MiB (of)", " cpu s")
    var isGood = true
    for campaign in Campaign.all where names.isEmpty || names.contains(campaign.name) {
      let run = CampaignRun(bench: bench, campaign: campaign)
      let outcome = try run.run()
      let verdict = run.isGood(outcome)
      isGood = isGood && verdict
      print(run.line(outcome), verdict ? "" : "BAD")
      try bench.record("abuse", run.members(outcome, verdict))
    }
    return isGood
  }

  private func line(_ outcome: Outcome) -> String {
    let closed = outcome.closedAfter.map { Text.fixed($0.seconds) } ?? "never"
    let failed = outcome.abused.broken + outcome.abused.refused + outcome.unanswered
    return [
      Text.left(campaign.name, 24), Text.right(outcome.opened, 6), Text.right(outcome.openAtOnce, 8),
      Text.right("\(closed) / \(Text.fixed(campaign.allowed.seconds))", 22),
      Text.right(outcome.abused.milliseconds(0.5), 13),
      Text.right(
        "\(Text.fixed(outcome.abused.milliseconds(0.99))) (\(Text.fixed(outcome.calm.milliseconds(0.99))))", 13),
      Text.right(outcome.abused.longest, 9), Text.right(failed, 7),
      Text.right("\(Text.fixed(Double(outcome.grownKiB) / 1_024)) (\(outcome.residentKiB / 1_024))", 14),
      Text.right(outcome.processorSeconds, 6),
    ].joined(separator: " ")
  }

  private func members(_ outcome: Outcome, _ verdict: Bool) -> String {
    let closed = outcome.closedAfter.map { Text.fixed($0.seconds, decimals: 2) } ?? "null"
    return [
      "\"abuse\":\"\(campaign.name)\"", "\"opened\":\(outcome.opened)", "\"atOnce\":\(outcome.openAtOnce)",
      "\"closedAfterSeconds\":\(closed)", "\"allowedSeconds\":\(Text.fixed(campaign.allowed.seconds))",
      "\"canaryUploads\":\(outcome.abused.answered)",
      "\"p99Milliseconds\":\(Text.fixed(outcome.abused.milliseconds(0.99), decimals: 2))",
      "\"calmP99Milliseconds\":\(Text.fixed(outcome.calm.milliseconds(0.99), decimals: 2))",
      "\"longestMilliseconds\":\(Text.fixed(outcome.abused.longest, decimals: 2))",
      "\"failed\":\(outcome.abused.broken + outcome.abused.refused + outcome.unanswered)",
      "\"residentKiB\":\(outcome.residentKiB)", "\"grownKiB\":\(outcome.grownKiB)", "\"good\":\(verdict)",
    ].joined(separator: ",")
  }
}
