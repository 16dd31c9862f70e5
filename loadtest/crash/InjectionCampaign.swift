import Base
import Store
import Support

/// A system call that fails: which, how, and from which to which of the writer's calls.
struct Injection {
  let name: String
  let calls: String
  let error: String
  let occasions: String

  static let all = [
    Injection(name: "ENOSPC once", calls: "pwrite64", error: "ENOSPC", occasions: "300"),
    Injection(name: "ENOSPC a while", calls: "pwrite64", error: "ENOSPC", occasions: "200..400"),
    Injection(name: "EIO writing", calls: "pwrite64", error: "EIO", occasions: "250..252"),
    Injection(name: "EIO syncing", calls: "fdatasync,fsync", error: "EIO", occasions: "30"),
    Injection(name: "EIO syncing", calls: "fdatasync,fsync", error: "EIO", occasions: "40..44"),
  ]

  var wrapper: [String] {
    [
      "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(calls)", "-e",
      "inject=\(calls):error=\(error):when=\(occasions)",
    ]
  }
}

/// The disk fails under a running server. No upload of the failed group may get its 2xx; the server recovers by itself or
/// stops; after a restart on a sound disk everything acknowledged is there.
struct InjectionCampaign {
  let program: String
  let work: String
  let seed: UInt64
  let injection: Injection

  private static let batchesBefore = 400

  func run() throws -> Outcome {
    let folder = work + "/inject-\(injection.error)-\(injection.occasions)"
    let fleet = try Fleet(clients: 8, seed: seed)
    let faulty = try ServerProcess(program: program, folder: folder, wrapper: injection.wrapper)
    fleet.course.port = faulty.port
    var patience = 200
    while patience > 0, fleet.acknowledgedBatches < Self.batchesBefore, !faulty.child.endedByItself() {
      Pause.milliseconds(100)
      patience -= 1
    }
    let hasEnded = faulty.child.endedByItself()
    let recovered = fleet.acknowledgedBatches >= Self.batchesBefore
    fleet.course.port = nil
    if !hasEnded { faulty.stop() }
    let refused = fleet.ledgers.reduce(0) { $0 + $1.statuses.filter { $0.key >= 500 }.values.reduce(0, +) }
    let sound = try ServerProcess(program: program, folder: folder)
    fleet.course.port = sound.port
    let ledgers = fleet.finish()
    guard sound.stop() == 0 else { throw CampaignError("the last server did not end well") }
    var outcome = Outcome(
      name: injection.name, detail: "\(injection.calls) \(injection.occasions): \(hasEnded ? "stopped" : "recovered")",
      ledgers: ledgers, verdict: try Verdict(ledgers, in: SQLiteReader(folder: folder)))
    if !hasEnded && !recovered { outcome.remarks.append("it neither stopped nor recovered") }
    if !hasEnded && refused == 0 { outcome.remarks.append("no upload was refused: the fault did not happen") }
    return outcome
  }
}
