import Base
import Testing

@testable import World

struct DeterminismTests {
  /// FNV-1a, over the bits of every number that a device's day brings forth.
  private struct Digest {
    private var hash = FNV1a()
    var value: UInt64 { hash.value }

    mutating func add(_ number: Double) { add(number.bitPattern) }

    mutating func add(_ bits: UInt64) { hash.add(bits) }
  }

  /// One device, event by event.
  private struct Life {
    private var body: Body
    private var receiver: Receiver
    private var sensor: ActivitySensor
    private var radio: Radio
    private var habits: Habits
    private(set) var digest = Digest()
    private(set) var now = Worlds.zero

    init(device: UInt64, in city: City) {
      let occupations = Occupation.allCases
      body = Worlds.body(occupations[Int(device) % occupations.count], device: device, in: city)
      receiver = Receiver(model: .inVehicle, seed: 1, device: device)
      receiver.start(at: Worlds.zero)
      sensor = ActivitySensor(truth: .still, at: Worlds.zero, seed: 1, device: device)
      radio = Radio(model: .urban, start: Worlds.zero, seed: 1, device: device)
      let rates = HabitRates(killsPerHour: 0.5, rebootsPerHour: 0.1)
      habits = Habits(rates: rates, clock: Worlds.clock, start: Worlds.zero, seed: 1, device: device)
    }

    mutating func step() {
      let occasion = receiver.nextOccasion(of: body, distanceFilterMetres: 25, after: now)
      let due = [occasion, body.nextChange(after: now), sensor.nextInstant, radio.nextChange, habits.nextInstant]
      now = due.compactMap(\.self).reduce(now + .seconds(86_400)) { min($0, $1) }
      digest.add(UInt64(bitPattern: now.nanoseconds))
      if now == occasion, let fix = receiver.fix(of: body, at: now, distanceFilterMetres: 25) {
        for number in [fix.place.latitude, fix.place.longitude, fix.accuracyMetres, fix.speed] { digest.add(number) }
      }
      body.advance(to: now)
      sensor.observe(body.activity(at: now), at: now)
      if let instant = sensor.nextInstant, instant <= now, let report = sensor.takeReport() {
        digest.add(UInt64(report.confidence))
      }
      radio.advance(to: now)
      digest.add(UInt64(radio.network(under: body.cover(at: now), hasWifi: body.hasWifi).number))
      if let instant = habits.nextInstant, instant <= now { _ = habits.takeEvent() }
    }
  }

  private static let steps = 400

  /// Each device alone, from beginning to end.
  private func alone(_ devices: [UInt64], in city: City) -> [UInt64] {
    devices.map { device in
      var life = Life(device: device, in: city)
      for _ in 0..<DeterminismTests.steps { life.step() }
      return life.digest.value
    }
  }

  /// All devices by turns, one step each.
  private func together(_ devices: [UInt64], in city: City) -> [UInt64] {
    var lives = devices.map { Life(device: $0, in: city) }
    for _ in 0..<DeterminismTests.steps {
      for index in lives.indices { lives[index].step() }
    }
    return lives.map(\.digest.value)
  }

  @Test func theOrderOfTheDevicesDoesNotMatter() {
    let city = Worlds.city()
    let devices = Array(0..<12 as Range<UInt64>)
    let once = alone(devices, in: city)
    #expect(once == alone(devices, in: Worlds.city()))
    #expect(once == together(devices, in: city))
    #expect(once == alone(devices.reversed(), in: city).reversed())
  }

  @Test func aDeviceLivesTheSameWithAndWithoutOthers() {
    let city = Worlds.city()
    let all = together(Array(0..<12), in: city)
    #expect(together([3, 7, 11], in: city) == [all[3], all[7], all[11]])
  }

  @Test func devicesDiffer() {
    let values = alone(Array(0..<12), in: Worlds.city())
    #expect(Set(values).count == 12)
  }
}
