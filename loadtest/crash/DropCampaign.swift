import Base
import HTTP1
import Store
import Support

/// The server commits and its answer gets lost: dropped, or cut after some bytes, by its own faults, at another rate in each
/// round. The clients cannot know and send the same batch again; every record must be there once, and the second time it
/// must be counted as `duplicate`, in the answer and in the store.
struct DropCampaign {
  let place: Place
  let seed: UInt64
  let rounds: Int

  /// Fewer bytes than the shortest answer has.
  private static let cutBytesMax = 100

  func run() throws -> Outcome {
    var generator = SeededGenerator(seed: seed)
    let fleet = try Fleet(clients: 8, seed: seed, losesOnlyAnswers: true)
    let server = try place.start()
    fleet.course.port = server.port
    for round in 1...rounds {
      _ = try LoopbackClient(port: server.port).request(.put, "/admin/v1/faults", body: rule(round, &generator))
      Pause.milliseconds(100 + generator.index(below: 150))
    }
    _ = try LoopbackClient(port: server.port).request(.delete, "/admin/v1/faults")
    let ledgers = fleet.finish()
    let hits = try hits(server.port)
    guard server.stop() == 0 else { throw CampaignError("the server did not end well") }
    let reader = try place.reader()
    var outcome = Outcome(
      name: "commit, drop" + place.words, detail: "\(rounds) rounds, \(hits.drop) dropped, \(hits.cut) cut",
      ledgers: ledgers,
      verdict: try Verdict(ledgers, in: reader))
    outcome.remarks = try remarks(ledgers, hits.drop + hits.cut, reader)
    return outcome
  }

  private func rule(_ round: Int, _ generator: inout SeededGenerator) -> String {
    let fault =
      generator.chance(0.5)
      ? #"{"kind":"drop"}"# : #"{"kind":"cut","bytes":\#(generator.index(below: Self.cutBytesMax))}"#
    let share = Double(1 + generator.index(below: 9)) / 10
    return """
      {"faults":[{"id":"lose","fault":\(fault),"match":{"operation":"uploadLocations","share":\(share)},"seed":\(round)}]}
      """
  }

  /// How often the server did it, as it counts itself.
  private func hits(_ port: UInt16) throws -> (drop: Int, cut: Int) {
    let page = String(decoding: try LoopbackClient(port: port).request(.get, "/metrics"), as: UTF8.self)
    func count(_ kind: String) -> Int {
      let name = #"rollingroad_faults_total{kind="\#(kind)"} "#
      return page.split(separator: "\n").first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) } ?? 0
    }
    return (count("drop"), count("cut"))
  }

  private func remarks(_ ledgers: [Ledger], _ hits: Int, _ reader: any StoreReader) throws(StoreError) -> [String] {
    var remarks: [String] = []
    let brokenOff = ledgers.reduce(0) { $0 + $1.brokenOff }
    if hits == 0 || hits != brokenOff { remarks.append("\(hits) answers were lost and \(brokenOff) were missed") }
    let repeated = ledgers.reduce(0) { $0 + $1.sentRecords - $1.acknowledgedRecords }
    let counted = try reader.counts(run: "")
    if counted.duplicates != Int64(repeated) {
      remarks.append("\(repeated) records were sent again and \(counted.duplicates) counted as duplicates")
    }
    return remarks
  }
}
