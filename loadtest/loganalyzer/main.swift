import Base
import Contract
import Glibc
import Host
import Queue

// Writes the log of a device of one platform to the standard output, and what it did to the standard error, in the order of
// the analyzer: records persisted, posted one by one, destroyed.
guard CommandLine.arguments.count == 3, let platform = DevicePlatform(rawValue: CommandLine.arguments[1]),
  let days = Int(CommandLine.arguments[2]), days > 0
else {
  print("usage: sample-log iOS|Android DAYS")
  exit(2)
}

// Midnight on the device's clock.
let start = WallInstant(millisecondsSince1970: 1_785_211_200_000)
let database = try QueueDatabase(path: ":memory:", commits: .grouped)
var device = try CommutersDevice(platform, in: database, device: 0, at: start)
for day in 0..<days { try CommutersDay.run(on: &device, isFirst: day == 0) }

let host = device.host
let taken = device.server.takenCount
let persisted = taken + device.phone.discardedCount + host.queue.count
let destroyed = taken + device.phone.destroyedByApp
var standardError = StandardError()
print("\(persisted)/\(device.server.singlePosts)/\(destroyed)", to: &standardError)
print(String(decoding: device.phone.log, as: UTF8.self), terminator: "")
