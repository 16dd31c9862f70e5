import Base
import Glibc
import Store
import Support

let words = CommandLine.arguments
guard words.count >= 6, let rounds = Int(words[2]), rounds > 0 else {
  print(
    "usage: loadtest/crash/run [ROUNDS] [kill|drop|postgres|inject|power ...] (this program is started by that script)")
  exit(2)
}
let (program, results, commit, machine) = (words[1], words[3], words[4], words[5])
let modes = words.count > 6 ? Array(words[6...]) : ["kill", "drop", "postgres", "inject", "power"]
let clock = SystemClock()
let seed = UInt64(bitPattern: clock.wallNow.millisecondsSince1970)
print("seed \(seed)")
var isGood = true

do {
  let work = try TemporaryFolder()
  print(Outcome.heading)
  let report = { (outcome: Outcome) throws(CampaignError) in
    print(outcome.line)
    for complaint in outcome.complaints { print("    \(complaint)") }
    try Machine.append(outcome.json(seed: seed, commit: commit, machine: machine), to: results)
    if !outcome.isGood { isGood = false }
  }
  if modes.contains("kill") {
    try report(KillCampaign(place: Place("kill", program: program, in: work), seed: seed, rounds: rounds).run())
  }
  if modes.contains("drop") {
    try report(DropCampaign(place: Place("drop", program: program, in: work), seed: seed, rounds: rounds).run())
  }
  if modes.contains("postgres"), !PostgresCluster.isThere {
    print("skipped: PostgreSQL is not installed")
  } else if modes.contains("postgres") {
    let cluster = try PostgresCluster()
    let kill = Place("kill", program: program, in: work, cluster: cluster)
    try report(KillCampaign(place: kill, seed: seed, rounds: rounds).run())
    let drop = Place("drop", program: program, in: work, cluster: cluster)
    try report(DropCampaign(place: drop, seed: seed, rounds: rounds).run())
  }
  if modes.contains("inject") || modes.contains("power"), !Machine.hasStrace {
    print("skipped: strace is not installed, so no faults can be injected and no writes recorded")
  } else {
    if modes.contains("inject") {
      for injection in Injection.all {
        try report(InjectionCampaign(program: program, work: work.path, seed: seed, injection: injection).run())
      }
    }
    if modes.contains("power") {
      try report(PowerLossCampaign(program: program, work: work, seed: seed, states: max(300, 3 * rounds)).run())
    }
  }
} catch {
  print("the campaign failed: \(error)")
  exit(1)
}
exit(isGood ? 0 : 1)
