import Synchronization

/// What lies under the devices of each run on the live page, for as long as the server lives: whoever simulates a city puts
/// its streets here. Kept as the bytes that came, because nobody but a browser looks into them.
final class MapBoard: Sendable {
  /// A run's map, and how many features it has.
  struct Map: Sendable {
    let bytes: [UInt8]
    let features: Int
  }

  /// As much as a city of a thousand streets and more takes many times over; a browser draws it without a stutter.
  static let bytesMax = 1 << 20
  /// Runs are made by whoever names one: beyond so many, the map that was put longest ago gives way.
  static let runsMax = 64

  private let maps = Mutex<[(run: String, map: Map)]>([])
  private let changes = Atomic(0)

  /// Another number after each change of any map: who looks on knows when to fetch his again.
  var revision: Int { changes.load(ordering: .acquiring) }

  func map(of run: String) -> Map? {
    maps.withLock { maps in maps.first { $0.run == run }?.map }
  }

  func put(_ map: Map, of run: String) {
    maps.withLock { maps in
      maps.removeAll { $0.run == run }
      if maps.count >= Self.runsMax { maps.removeFirst() }
      maps.append((run, map))
    }
    changes.add(1, ordering: .releasing)
  }

  /// Of one run, or of all; says how many there were.
  func clear(run: String?) -> Int {
    let count = maps.withLock { maps in
      let before = maps.count
      maps.removeAll { run == nil || $0.run == run }
      return before - maps.count
    }
    if count > 0 { changes.add(1, ordering: .releasing) }
    return count
  }
}
