import Base
import Testing

@testable import World

struct SensorTests {
  @Test func activitiesAreNoticedLateAndSometimesMistaken() {
    var (delays, mistakes) = ([Double](), 0)
    for device in 0..<400 as Range<UInt64> {
      var sensor = ActivitySensor(truth: .still, at: Worlds.zero, seed: 1, device: device)
      let setOff = Worlds.zero + .seconds(100)
      while let next = sensor.nextInstant, next < setOff { _ = sensor.takeReport() }
      sensor.observe(.inVehicle, at: setOff)
      var report = sensor.takeReport()
      if report?.activity != .inVehicle {
        mistakes += 1
        #expect((report?.confidence ?? 100) < 75)
        report = sensor.takeReport()
      }
      #expect(report?.activity == .inVehicle && (report?.confidence ?? 0) >= 75, "device \(device)")
      delays.append((report.map { $0.instant - setOff } ?? .zero).seconds)
    }
    #expect((12...20).contains(delays.sorted()[200]))
    #expect((25...75).contains(mistakes), "12 of 100 are mistaken")
  }

  /// On its way it was mistaken for what is true now: it says so again, and is sure of it.
  @Test func aMistakeThatHasComeTrueIsReportedAgain() {
    var mistaken = 0
    for device in 0..<200 as Range<UInt64> {
      var sensor = ActivitySensor(truth: .inVehicle, at: Worlds.zero, seed: 1, device: device)
      guard let report = sensor.takeReport(), report.activity == .still else { continue }
      mistaken += 1
      sensor.observe(.still, at: report.instant + .seconds(1))
      let next = sensor.takeReport()
      #expect(next?.activity == .still && (next?.confidence ?? 0) >= 75, "device \(device)")
      #expect((next?.instant ?? Worlds.zero) <= report.instant + .seconds(181), "device \(device)")
    }
    #expect(mistaken > 20)
  }

  /// Every minute, surer and surer; an app that sleeps hears nothing.
  @Test func aRestIsReportedAgainToWhoIsAwake() {
    for device in 0..<50 as Range<UInt64> {
      var sensor = ActivitySensor(truth: .inVehicle, at: Worlds.zero, seed: 1, device: device)
      var now = Worlds.zero + .seconds(100)
      sensor.observe(.still, at: now)
      while let next = sensor.nextInstant, next < now + .seconds(300) { _ = sensor.takeReport() }
      now = now + .seconds(300)
      sensor.serve(isAwake: false, at: now)
      #expect(sensor.nextInstant.map { $0 > now + .seconds(60) } ?? true, "device \(device)")
      sensor.serve(isAwake: true, at: now)
      var confidences: [Int] = []
      while let next = sensor.nextInstant, next <= now + .seconds(600), let report = sensor.takeReport() {
        if report.activity != .still { break }
        sensor.serve(isAwake: true, at: report.instant)
        confidences.append(report.confidence)
      }
      #expect(confidences == confidences.sorted() && (confidences.first ?? 0) >= 75, "device \(device)")
      #expect(confidences.count < 10 || confidences.last == 100, "device \(device): \(confidences)")
    }
  }

  /// What it says is what it said last, however long ago, and says nothing of what comes.
  @Test func anAppThatBeginsToAskHearsWhatWasReportedLast() {
    for device in 0..<50 as Range<UInt64> {
      var sensor = ActivitySensor(truth: .still, at: Worlds.zero, seed: 1, device: device)
      sensor.observe(.inVehicle, at: Worlds.zero + .seconds(10))
      let now = Worlds.zero + .seconds(300)
      var last: ActivityReport?
      while let next = sensor.nextInstant, next <= now + .seconds(1) { last = sensor.takeReport() }
      var other = sensor
      sensor.ask(at: now)
      #expect(sensor.nextInstant == now + .seconds(1))
      let answer = sensor.takeReport()
      #expect(answer?.activity == last?.activity && answer?.confidence == last?.confidence, "device \(device)")
      #expect(sensor.takeReport() == other.takeReport(), "device \(device)")
      sensor.ask(at: now + .seconds(600))
      sensor.ask(at: nil)
      other.ask(at: nil)
      #expect(sensor.nextInstant == other.nextInstant)
    }
  }

  @Test func whatPassesBeforeItIsNoticedIsNotReported() {
    var sensor = ActivitySensor(truth: .inVehicle, at: Worlds.zero, seed: 1, device: 1)
    for second in 1..<200 as Range<Int64> {
      sensor.observe(second % 2 == 0 ? .inVehicle : .still, at: Worlds.zero + .seconds(second))
      while let next = sensor.nextInstant, next <= Worlds.zero + .seconds(second) {
        guard let report = sensor.takeReport() else { break }
        #expect(report.activity != .still || report.confidence < 75)
      }
    }
  }

  @Test func networksLastAsLongAsTheirRatesSay() {
    let day = Worlds.zero + .seconds(86_400)
    var seconds = [Double](repeating: 0, count: RadioTable.presets.links.count)
    for device in 0..<40 as Range<UInt64> {
      var radio = Radio(model: .urban, start: Worlds.zero, seed: 1, device: device)
      var now = Worlds.zero
      while let next = radio.nextChange, next < day {
        seconds[Int(radio.network(under: nil, hasWifi: false).number)] += (next - now).seconds
        radio.advance(to: next)
        now = next
      }
    }
    let all = seconds.reduce(0, +)
    // The balance of the chain: out of a network as often as into it, with the rates of `urban`.
    let (lte, hsdpa, edge, none) = (1.0, 120.0 / 360, 120.0 / 360 * 180 / 1_200, 90.0 / 2_700)
    let sum = lte + hsdpa + edge + none
    #expect((seconds[Int(RadioNetwork.lte.number)] / all - lte / sum).magnitude < 0.02)
    #expect((seconds[Int(RadioNetwork.hsdpa.number)] / all - hsdpa / sum).magnitude < 0.02)
    #expect((seconds[Int(RadioNetwork.edge.number)] / all - edge / sum).magnitude < 0.01)
    #expect((seconds[Int(RadioNetwork.none.number)] / all - none / sum).magnitude < 0.01)
    #expect(seconds[Int(RadioNetwork.wifi.number)] == 0)
  }

  /// The mean time of a century stands for never; some draws are later than every instant.
  @Test func aChangeThatIsBeyondEveryRunDoesNotCome() {
    let model = RadioModel(
      start: .lte, transitions: [RadioModel.Transition(from: .lte, to: .none, meanSeconds: 3.1e9)])
    let changes = (0..<1_000 as Range<UInt64>).map {
      Radio(model: model, start: Worlds.zero, seed: 1, device: $0).nextChange
    }
    // e^(-9/3.1): 5 %.
    #expect((25...90).contains(changes.count { $0 == nil }))
  }

  @Test func thePlaceDecidesBeforeTheChain() {
    let radio = Radio(model: .constant(.edge), start: Worlds.zero, seed: 1, device: 1)
    #expect(radio.nextChange == nil)
    #expect(radio.network(under: nil, hasWifi: false) == .edge)
    #expect(radio.network(under: .tunnel, hasWifi: false) == .none)
    #expect(radio.network(under: .deadZone, hasWifi: true) == .wifi)
  }

  @Test func transfersTakeTheirLatencyTheirBytesAndTheirLosses() throws {
    var stream = RandomStream(seed: 1, device: 1, concern: RandomStreamID.link.rawValue)
    let clean = LinkQuality(latency: 0.2, jitter: 0, downBitsPerSecond: 8e6, upBitsPerSecond: 8e3, loss: 0)
    #expect(try #require(clean.transfer(bytes: 1_000, isUpload: true, from: &stream)).seconds == 1.1)
    #expect(try #require(clean.transfer(bytes: 1_000, isUpload: false, from: &stream)).seconds == 0.101)
    #expect(RadioTable.presets[.none].quality.transfer(bytes: 1, isUpload: true, from: &stream) == nil)
    let slowest = LinkQuality(latency: 0, jitter: 0, downBitsPerSecond: 1, upBitsPerSecond: 1e-7, loss: 0)
    #expect(slowest.transfer(bytes: 1_000, isUpload: true, from: &stream) == nil)
    var lossy = clean
    lossy.loss = 0.5
    let times = (0..<2_000).map { _ in lossy.transfer(bytes: 0, isUpload: true, from: &stream)?.seconds }
    let late = times.filter { $0.map { $0 >= 1.1 } ?? true }.count
    #expect((900...1_100).contains(late))
    // Seven losses in a row.
    #expect((5...30).contains(times.filter { $0 == nil }.count))
  }

  @Test func appsAreKilledAsOftenAsTheRateSaysAndNotAtNight() {
    var kills = 0
    for device in 0..<100 as Range<UInt64> {
      let rates = HabitRates(killsPerHour: 0.5, rebootsPerHour: 0.05)
      var habits = Habits(rates: rates, clock: Worlds.clock, start: Worlds.zero, seed: 1, device: device)
      var end = Worlds.zero
      while let next = habits.nextInstant, next < Worlds.zero + .seconds(10 * 86_400), let event = habits.takeEvent() {
        let time = Worlds.clock.timeOfDay(at: event.instant)
        #expect(time >= 25_200 && time < 82_801, "device \(device) at \(event.instant.seconds)")
        #expect(event.instant >= end && event.end > event.instant, "device \(device)")
        end = event.end
        if case .killsApp = event.kind { kills += 1 }
      }
    }
    // 100 devices, ten days of 16 hours: 8,000, some fewer for the time in which an app is dead already.
    #expect((7_400...8_100).contains(kills))
  }

  @Test func nothingHappensToAPhoneThatIsLeftAlone() {
    let rates = HabitRates(killsPerHour: 0, rebootsPerHour: 0)
    var habits = Habits(rates: rates, clock: Worlds.clock, start: Worlds.zero, seed: 1, device: 1)
    #expect(habits.nextInstant == nil && habits.takeEvent() == nil)
  }
}
