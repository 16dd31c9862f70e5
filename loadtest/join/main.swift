// What of a million acknowledged records a store has: how long the join takes, and what memory (see run).
import BackendStore
import Base
import FleetSimulator
import Glibc
import Oracle
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
var verification = TargetVerification()
switch words[1] {
case "file": verification.place.file = words[2]
case "command": verification.place.command = words[2]
case "url": verification.url = words[2]
default: (verification.place.database, verification.place.query) = (words[2], words.count > 3 ? words[3] : nil)
}
var server = OutsideSetup(url: "http://127.0.0.1:1/")
server.verification = verification
guard let proof = try server.proof(devices: names, seed: 1, start: "") else { preconditionFailure("it names no store") }
// All records say the same beside their identity: where the store shows it, it is compared.
let text = #"{"timestamp":"2026-07-28T18:34:22.563Z","coords":{"latitude":45.519,"longitude":-116.297,"speed":13.89}}"#
guard let content = RecordContent(sent: Array(text.utf8)) else { preconditionFailure("a record is JSON") }

let before = peak()
let clock = SystemClock()
let begin = clock.monotonicNow
var missing: [PointKey] = []
var (twice, changed) = (0, 0)
for (number, name) in names.enumerated() {
  let keys = (0..<each).map { index in
    let id = UInt64(number * each + index)
    return PointKey(recordedAt: 0, uuid: UUID128(high: id << 32 | 0x4000, low: 0x8000_0000_0000_0000 | id))
  }
  guard let lost = proof.missing(keys, of: name) else { preconditionFailure(proof.refusal ?? "") }
  missing += lost
  for key in keys {
    guard let stored = proof.content(of: key.uuid, of: name) else { continue }
    if content.comparison(with: stored).difference != nil { changed += 1 }
  }
  var previous: UUID128?
  proof.forEachRecord(of: name) { _, uuid in
    if uuid == previous { twice += 1 }
    previous = uuid
  }
}
let elsewhere = missing.compactMap { proof.holder(of: $0.uuid) }
let seconds = (clock.monotonicNow - begin).seconds
let megabytes = (peak() - before).rounded()
let isRight = missing.count == 2 && elsewhere == ["phone-0"] && twice == 1 && changed == 0
let (secondsMax, megabytesMax) = (proof.comparesContents ? 15.0 : 10.0, 64.0)
let isWithin = seconds <= secondsMax && megabytes <= megabytesMax
print(
  "\(devices * each) records joined in \((seconds * 100).rounded() / 100) s, \(megabytes) MB, "
    + "\(proof.comparesContents ? "with contents" : "by uuids")"
    + (isWithin ? "" : "; above the bars of \(secondsMax) s and \(megabytesMax) MB")
    + (isRight ? "" : "; missing \(missing.count), elsewhere \(elsewhere), twice \(twice), changed \(changed)"))
exit(isRight && isWithin ? 0 : 1)
