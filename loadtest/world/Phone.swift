import Base
import World

/// The world's share of one simulated device: all that is true of it and all that its sensors say.
struct Phone {
  private var body: Body
  private var receiver: Receiver
  private var sensor: ActivitySensor
  private var radio: Radio
  private var habits: Habits
  private let battery = PhoneBattery(drainPerHour: 0.03)
  private let seed: UInt64
  private let device: UInt64
  /// FNV-1a over every event, to compare builds and machines.
  private(set) var digest: UInt64 = 0xcbf2_9ce4_8422_2325

  init(device: UInt64, in city: City, clock: DayClock, seed: UInt64) {
    let start = MonotonicInstant(nanoseconds: 0)
    let plan = DailyPlan(seed: seed, device: device, occupation: .commuter)
    body = Body(in: city, clock: clock, plan: plan, start: start)
    receiver = Receiver(model: .inVehicle, seed: seed, device: device)
    sensor = ActivitySensor(truth: .still, at: start, seed: seed, device: device)
    radio = Radio(model: .urban, start: start, seed: seed, device: device)
    let rates = HabitRates(killsPerHour: 0.05, rebootsPerHour: 0.005)
    habits = Habits(rates: rates, clock: clock, start: start, seed: seed, device: device)
    (self.seed, self.device) = (seed, device)
  }

  /// From event to event: positions while on the way and five minutes behind, and every other change.
  mutating func liveOneDay(distanceFilterMetres filter: Double) -> (fixes: Int, changes: Int) {
    let end = MonotonicInstant(nanoseconds: 0) + .seconds(86_400)
    var now = MonotonicInstant(nanoseconds: 0)
    var (fixes, changes) = (0, 0)
    var stopsAt: MonotonicInstant?
    while now < end {
      let occasion = receiver.nextOccasion(of: body, distanceFilterMetres: filter, after: now)
      let candidates = [
        occasion, body.nextChange(after: now), sensor.nextInstant, radio.nextChange, habits.nextInstant, stopsAt,
      ]
      now = candidates.reduce(end) { min($0, $1 ?? end) }
      add(UInt64(bitPattern: now.nanoseconds))
      if now == occasion, let fix = receiver.fix(of: body, at: now, distanceFilterMetres: filter) {
        fixes += 1
        add(fix.place.latitude.bitPattern ^ fix.place.longitude.bitPattern)
        add(fix.accuracyMetres.bitPattern)
      }
      if now == occasion { continue }
      changes += 1
      body.advance(to: now)
      sensor.observe(body.activity(at: now), at: now)
      if let due = sensor.nextInstant, due <= now { _ = sensor.takeReport() }
      radio.advance(to: now)
      if let due = habits.nextInstant, due <= now { _ = habits.takeEvent() }
      switch body.episode {
      case .trip:
        receiver.start(at: now)
        stopsAt = nil
      case .stay(let stay): stopsAt = receiver.isOn ? stay.start + .seconds(300) : nil
      }
      if let stop = stopsAt, stop <= now {
        receiver.stop(at: now)
        stopsAt = nil
      }
    }
    add(UInt64(battery.reading(at: end, seed: seed, device: device).percent))
    return (fixes, changes)
  }

  private mutating func add(_ bits: UInt64) { digest = (digest ^ bits) &* 0x100_0000_01b3 }
}
