import Base
import Store
import Support

/// kill -9 at random moments while clients upload, again and again, always on the same records. Each fifth time it is the server of the
/// database, where there is one: the other one goes on, and finds it again.
struct KillCampaign {
  let place: Place
  let seed: UInt64
  let rounds: Int

  func run() throws -> Outcome {
    var generator = SeededGenerator(seed: seed)
    let fleet = try Fleet(clients: 8, seed: seed)
    for round in 1...rounds {
      let server = try place.start()
      fleet.course.port = server.port
      if round % 5 == 0, let cluster = place.database?.cluster {
        Pause.milliseconds(5 + generator.index(below: 150))
        try cluster.kill()
        try cluster.start()
      }
      // From the first accept to some hundred commits, and sometimes into a checkpoint.
      Pause.milliseconds(5 + generator.index(below: generator.chance(0.2) ? 800 : 150))
      fleet.course.port = nil
      server.killAtOnce()
    }
    let server = try place.start()
    fleet.course.port = server.port
    let ledgers = fleet.finish()
    guard server.stop() == 0 else { throw CampaignError("the last server did not end well") }
    return Outcome(
      name: "kill -9" + place.words, detail: "\(rounds) rounds", ledgers: ledgers,
      verdict: try Verdict(ledgers, in: place.reader()))
  }
}
