import Base
import World

/// Looks now and then where some devices truly are: never more places than a map can show, however long the run is.
struct TrackRecorder {
  private let sample: [Int]
  private let interval: Nanoseconds
  private var next: MonotonicInstant
  private(set) var places: [[Coordinate]]

  static let devicesMax = 48
  private static let placesMax = 480

  /// Devices from all over the run, evenly.
  init(devices: Int, span: Nanoseconds) {
    let count = min(devices, TrackRecorder.devicesMax)
    sample = (0..<count).map { $0 * devices / max(count, 1) }
    interval = max(Nanoseconds(span.count / Int64(TrackRecorder.placesMax)), .seconds(1))
    next = MonotonicInstant(nanoseconds: 0)
    places = Array(repeating: [], count: count)
  }

  func isDue(at instant: MonotonicInstant) -> Bool { instant >= next }

  /// Bodies go on while nobody looks; a copy is moved to the instant.
  mutating func look(at devices: ContiguousArray<SimulatedDevice>, at instant: MonotonicInstant) {
    next = instant + interval
    for (index, device) in sample.enumerated() {
      var body = devices[device].body
      body.advance(to: instant)
      let place = body.position(at: instant)
      if places[index].last != place { places[index].append(place) }
    }
  }

  /// The devices that were looked at, with their ways.
  var tracks: [(device: Int, places: [Coordinate])] { Array(zip(sample, places)).map { (device: $0.0, places: $0.1) } }
}
