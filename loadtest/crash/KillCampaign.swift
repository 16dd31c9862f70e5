import Base
import Store
import Support

/// kill -9 at random moments while clients upload, again and again, always into the same folder.
struct KillCampaign {
  let program: String
  let folder: String
  let seed: UInt64
  let rounds: Int

  func run() throws -> Outcome {
    var generator = SeededGenerator(seed: seed)
    let fleet = try Fleet(clients: 8, seed: seed)
    for _ in 1...rounds {
      let server = try ServerProcess(program: program, folder: folder)
      fleet.course.port = server.port
      // From the first accept to some hundred commits, and sometimes into a checkpoint.
      Pause.milliseconds(5 + generator.index(below: generator.chance(0.2) ? 800 : 150))
      fleet.course.port = nil
      server.killAtOnce()
    }
    let server = try ServerProcess(program: program, folder: folder)
    fleet.course.port = server.port
    let ledgers = fleet.finish()
    guard server.stop() == 0 else { throw CampaignError("the last server did not end well") }
    return Outcome(
      name: "kill -9", detail: "\(rounds) rounds", ledgers: ledgers,
      verdict: try Verdict(ledgers, in: SQLiteReader(folder: folder)))
  }
}
