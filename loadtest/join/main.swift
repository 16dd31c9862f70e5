// What of a million acknowledged records a store has, by their uuids: how long the join takes, and what memory (see run).
import BackendStore
import Base
import FleetSimulator
import Glibc
import Scenario
import Store

/// The greatest size that the process has had, in megabytes.
private func peak() -> Double {
  var usage = rusage()
  // RUSAGE_SELF
  _ = unsafe getrusage(0, &usage)
  return Double(usage.ru_maxrss) / 1_024
}

let (devices, each) = (1_000, 1_000)
let names = (0..<devices).map { "phone-\($0)" }
let words = CommandLine.arguments
precondition(words.count >= 3, "join KIND PLACE [QUERY]")
var verification = DialectVerification()
switch words[1] {
case "file": verification.file = words[2]
case "command": verification.command = words[2]
default: (verification.database, verification.query) = (words[2], words.count > 3 ? words[3] : nil)
}
guard let view = StoreSource(verification).view else { preconditionFailure("it names no store") }

let before = peak()
let clock = SystemClock()
let begin = clock.monotonicNow
let proof = ListedProof(ViewSource(view), devices: names)
var missing: [PointKey] = []
var twice = 0
for (number, name) in names.enumerated() {
  let keys = (0..<each).map { index in
    let id = UInt64(number * each + index)
    return PointKey(recordedAt: 0, uuid: UUID128(high: id << 32 | 0x4000, low: 0x8000_0000_0000_0000 | id))
  }
  guard let lost = proof.missing(keys, of: name) else { preconditionFailure(proof.refusal ?? "") }
  missing += lost
  var previous: UUID128?
  proof.forEachRecord(of: name) { _, uuid in
    if uuid == previous { twice += 1 }
    previous = uuid
  }
}
let elsewhere = missing.compactMap { proof.holder(of: $0.uuid) }
let seconds = (clock.monotonicNow - begin).seconds
print(
  "\(devices * each) uuids joined in \((seconds * 100).rounded() / 100) s, \((peak() - before).rounded()) MB; "
    + "missing \(missing.count), elsewhere \(elsewhere), twice \(twice)")
exit(missing.count == 2 && elsewhere == ["phone-0"] && twice == 1 ? 0 : 1)
