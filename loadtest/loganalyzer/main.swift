import Base
import Contract
import DeviceLog
import Glibc
import Support
import Vocabulary

// Writes a log of one platform to the standard output: a launch, every kind of entry, and RECORDS records that were
// persisted, posted and destroyed.
guard CommandLine.arguments.count == 3, let platform = DevicePlatform(rawValue: CommandLine.arguments[1]),
  let records = Int(CommandLine.arguments[2])
else {
  print("usage: sample-log iOS|Android RECORDS")
  exit(2)
}

var bytes: [UInt8] = []
let text = LogText(platform: platform, utcOffsetMinutes: -240, zoneName: "Eastern Daylight Time")
let start = WallInstant(millisecondsSince1970: 1_785_247_200_000)
text.appendBanner(Configuration(platform: platform), at: start, to: &bytes)
var now = start
for entry in EveryLogEntry.all(at: start) {
  now = now.advanced(byMilliseconds: 250)
  text.append(entry, at: now, to: &bytes)
}
var random = RandomStream(seed: 1, device: 0, concern: 0)
for _ in 0..<records {
  let uuid = UUID128(randomHigh: random.u64(), randomLow: random.u64())
  let story: [LogEntry] = [
    .inserted(uuid: uuid, kind: .tracking, persistMode: 2, maxRecords: -1), .flushBegan(trigger: .insert, queued: 1),
    .watchdogArmed(timeoutSeconds: 60, watchdogSeconds: 65), .locked(uuid: uuid),
    .posting(uuid: uuid, count: 1, url: "http://localhost/"), .response(status: 200, reason: "OK"),
    .posted(uuid: uuid, status: 200, retry: 0), .destroyed(uuid: uuid), .syncPage(isOK: true, size: 1),
    .flushFinished(isSuccess: true, queuedBefore: 1, synced: 1, pages: 1, milliseconds: 516),
  ]
  now = now.advanced(byMilliseconds: 10_000)
  for entry in story {
    now = now.advanced(byMilliseconds: 12)
    text.append(entry, at: now, to: &bytes)
  }
}
print(String(decoding: bytes, as: UTF8.self), terminator: "")
