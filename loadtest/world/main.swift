// What the world alone costs: a day of commuters with a distance filter, fixes on a way, memory between trips.
//   world-bench [DEVICES]
import Base
import Glibc
import World

let devices = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 2_000
let seed: UInt64 = 0x5EED
guard let munich = Coordinate(latitude: 48.137, longitude: 11.575) else { preconditionFailure("Munich is a place") }
let zero = MonotonicInstant(nanoseconds: 0)
let midnight = DayClock(secondsAfterMidnight: 0, firstWeekday: 2)
let clock = ContinuousClock()
let city = City(seed: seed, center: munich, columns: 160, rows: 160)

func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }

/// The second number of /proc/self/statm counts pages.
func residentBytes() -> Int {
  guard let file = unsafe fopen("/proc/self/statm", "r") else { preconditionFailure("/proc is missing") }
  defer { unsafe fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  guard unsafe fgets(&line, 256, file) != nil else { preconditionFailure("statm is empty") }
  let words = String(decoding: line.map(UInt8.init(bitPattern:)), as: UTF8.self).split(separator: " ")
  return (Int(words[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
}

/// The least of three times.
func seconds(_ body: () -> Void) -> Double {
  (0..<3).map { _ in clock.measure(body) / .seconds(1) }.reduce(.infinity, min)
}

print("seed \(seed)")
var devicesAtWork: [Phone] = []
for device in 0..<devices { devicesAtWork.append(Phone(device: UInt64(device), in: city, clock: midnight, seed: seed)) }

for filter in [10.0, 50.0] {
  var fixes = 0
  var changes = 0
  var digest: UInt64 = 0
  let elapsed = seconds {
    fixes = 0
    changes = 0
    digest = 0
    for phone in devicesAtWork {
      var phone = phone
      let day = phone.liveOneDay(distanceFilterMetres: filter)
      fixes += day.fixes
      changes += day.changes
      digest = (digest ^ phone.digest) &* 0x100_0000_01b3
    }
  }
  print("filter of \(filter) m:")
  print("  \(rounded(Double(devices) / elapsed)) device-days a second", terminator: "")
  print(", \(rounded(Double(devices) * 86_400 / elapsed / 1e6)) million device-seconds a second")
  print("  \(rounded(Double(fixes) / elapsed / 1e6)) million fixes a second", terminator: "")
  print(", \(fixes / devices) fixes and \(changes / devices) other changes in a device's day")
  print("  trace hash \(digest)")
}

let perSecond = seconds { for var phone in devicesAtWork.prefix(200) { _ = phone.liveOneDay(distanceFilterMetres: 0) } }
print("without a filter, a fix a second on the way: \(rounded(200 / perSecond)) device-days a second")

let before = residentBytes()
var resting: [Phone] = []
resting.reserveCapacity(50_000)
for device in 0..<50_000 { resting.append(Phone(device: UInt64(device), in: city, clock: midnight, seed: seed)) }
let bytes = (residentBytes() - before) / resting.count
print("\(bytes) bytes a device between trips, of these \(MemoryLayout<Body>.stride) where it is", terminator: "")
print(", \(MemoryLayout<Receiver>.stride) receiver, \(MemoryLayout<Radio>.stride) radio")
