import Base
import Formats
import Testing

@testable import World

struct ReceiverTests {
  private static let city = Worlds.city(blocks: 160)

  /// Fixes of one device's day with what was true, at the distance filter of an ordinary configuration.
  private static func fixes(
    device: UInt64, seed: UInt64 = 1, filter: Double = 20, model: GPSModel = .inVehicle
  ) -> [(fix: GPSFix, errorMetres: Double)] {
    var body = Worlds.body(device: device, seed: seed, in: city)
    var receiver = Receiver(model: model, seed: seed, device: device)
    var now = Worlds.zero
    var fixes: [(fix: GPSFix, errorMetres: Double)] = []
    while let end = body.episode.end, end < Worlds.zero + .seconds(86_400) {
      if case .trip = body.episode { receiver.start(at: now) } else { receiver.stop(at: now) }
      while let next = receiver.nextOccasion(of: body, distanceFilterMetres: filter, after: now) {
        now = next
        if let fix = receiver.fix(of: body, at: now, distanceFilterMetres: filter) {
          fixes.append((fix, fix.place.distanceMetres(to: body.position(at: now))))
        }
      }
      body.advance(to: end)
      now = end
    }
    return fixes
  }

  @Test func theTruePlaceLiesWithinTheReportedRadiusInSixtyEightOfAHundredFixes() {
    // Fixes of one trip are alike, so it takes many devices: 250 times some hundred fixes.
    var (inside, all) = (0, 0)
    for device in 0..<250 as Range<UInt64> {
      for (fix, error) in ReceiverTests.fixes(device: device, filter: 50) {
        all += 1
        if error <= fix.accuracyMetres { inside += 1 }
      }
    }
    let share = Double(inside) / Double(all)
    #expect(all > 50_000)
    // Two trips a device of some 600 seconds each, correlated over 45: about 250 · 2 · 10 independent errors, 0.7 percent.
    #expect((share - 0.68).magnitude < 0.02, "\(share) of \(all) fixes")
  }

  @Test func accuraciesAreThoseOfAPhoneInACar() {
    let accuracies = (0..<60 as Range<UInt64>).flatMap { device in
      ReceiverTests.fixes(device: device).map(\.fix.accuracyMetres)
    }.sorted()
    // A real drive had 5.0, 10.3 and 49 metres.
    #expect((3.5...7).contains(accuracies[accuracies.count / 2]))
    #expect((8...16).contains(accuracies[accuracies.count * 9 / 10]))
    #expect((15...80).contains(accuracies[accuracies.count * 99 / 100]))
  }

  @Test func theErrorIsCorrelatedInTimeAsTheModelSays() {
    // At rest under an even sky: what is left is the process itself.
    let model = GPSModel(skySpread: 0, outliersPerHour: 0, warmInflation: 0.001, coldInflation: 0.001)
    let body = Worlds.body(
      along: TimedRoute(modelled: RouteRecording(places: [Worlds.munich]), transport: .car, speedLimit: 10), .once)
    var products = [0.0, 0.0, 0.0]
    var (squares, count) = (0.0, 0.0)
    for device in 0..<40 as Range<UInt64> {
      var receiver = Receiver(model: model, seed: 3, device: device)
      receiver.start(at: Worlds.zero)
      var errors: [Double] = []
      for step in 0..<300 {
        let now = Worlds.zero + .seconds(200 + 15 * Int64(step))
        guard let fix = receiver.fix(of: body, at: now) else { continue }
        errors.append((fix.place.latitude - Worlds.munich.latitude) * 111_200)
      }
      #expect(errors.count == 300)
      for index in 0..<errors.count - 12 {
        squares += errors[index] * errors[index]
        for (place, lag) in [1, 3, 12].enumerated() { products[place] += errors[index] * errors[index + lag] }
        count += 1
      }
    }
    #expect(((squares / count).squareRoot() - 3.3).magnitude < 0.25)
    // 0.9 e^(−Δt/45) at 15, 45 and 180 seconds.
    for (place, expected) in [0.645, 0.331, 0.016].enumerated() {
      #expect((products[place] / squares - expected).magnitude < 0.07, "lag \(place): \(products[place] / squares)")
    }
  }

  @Test func thereIsNoFixInATunnelAndABadOneBehindIt() {
    var tunnels = 0
    var (first, later) = ([Double](), [Double]())
    for device in 0..<120 as Range<UInt64> {
      var body = Worlds.body(device: device, in: ReceiverTests.city)
      var receiver = Receiver(model: .inVehicle, seed: 1, device: device)
      receiver.start(at: Worlds.zero)
      while let end = body.episode.end, end < Worlds.zero + .seconds(86_400) {
        body.advance(to: end)
        guard case .trip(let trip) = body.episode else { continue }
        for cover in trip.covers where cover.kind == .tunnel && cover.end + .seconds(60) < trip.end {
          tunnels += 1
          #expect(receiver.fix(of: body, at: cover.start) == nil)
          #expect(receiver.fix(of: body, at: cover.end - .milliseconds(1)) == nil)
          #expect(receiver.fix(of: body, at: cover.end) == nil, "the sky is not found at once")
          guard let back = receiver.nextOccasion(of: body, distanceFilterMetres: 0, after: cover.end) else { continue }
          guard let bad = receiver.fix(of: body, at: back) else { continue }
          first.append(bad.accuracyMetres)
          guard let good = receiver.fix(of: body, at: back + .seconds(40)) else { continue }
          later.append(good.accuracyMetres)
        }
      }
    }
    #expect(tunnels > 5)
    func mean(_ numbers: [Double]) -> Double { numbers.reduce(0, +) / Double(numbers.count) }
    #expect(mean(first) > 3 * mean(later))
  }

  @Test func coldStartsTakeLongerThanWarmOnes() {
    let body = Worlds.body(device: 1, in: ReceiverTests.city)
    var (cold, warm) = ([Double](), [Double]())
    for device in 0..<200 as Range<UInt64> {
      var receiver = Receiver(model: .inVehicle, seed: 1, device: device)
      receiver.start(at: Worlds.zero)
      let first = receiver.nextOccasion(of: body, distanceFilterMetres: 0, after: Worlds.zero)
      cold.append(first?.seconds ?? .infinity)
      receiver.stop(at: Worlds.zero + .seconds(200))
      #expect(receiver.nextOccasion(of: body, distanceFilterMetres: 0, after: Worlds.zero + .seconds(210)) == nil)
      receiver.start(at: Worlds.zero + .seconds(300))
      let second = receiver.nextOccasion(of: body, distanceFilterMetres: 0, after: Worlds.zero + .seconds(300))
      warm.append((second?.seconds ?? .infinity) - 300)
    }
    #expect((9...16).contains(cold.sorted()[100]))
    #expect((1.5...2.6).contains(warm.sorted()[100]))
  }

  @Test func thePositionDriftsAtRestAndOnlyFarEnoughDriftIsDelivered() {
    let body = Worlds.body(device: 1, in: ReceiverTests.city)
    var receiver = Receiver(model: .inVehicle, seed: 1, device: 1)
    receiver.start(at: Worlds.zero)
    var now = Worlds.zero
    var (asked, previous) = (0, Coordinate?.none)
    var delivered = 0
    while let next = receiver.nextOccasion(of: body, distanceFilterMetres: 10, after: now), asked < 500 {
      now = next
      asked += 1
      guard let fix = receiver.fix(of: body, at: now, distanceFilterMetres: 10) else { continue }
      if let previous { #expect(fix.place.distanceMetres(to: previous) >= 10) }
      previous = fix.place
      delivered += 1
    }
    #expect(delivered > 5 && delivered < asked / 2)
  }

  /// SDK §2.1: the distance lies between positions that are reported, with the error that each has.
  @Test func reportedPositionsOfATripLieTheDistanceFilterApart() {
    var (near, all, metres) = (0, 0, 0.0)
    for device in 0..<20 as Range<UInt64> {
      var last: GPSFix?
      for (fix, _) in ReceiverTests.fixes(device: device, filter: 50) {
        // The receiver was off between two trips.
        if let last, fix.instant - last.instant < .seconds(30) {
          let distance = fix.place.distanceMetres(to: last.place)
          (all, metres) = (all + 1, metres + distance)
          if distance < 50 { near += 1 }
        }
        last = fix
      }
    }
    #expect(all > 2_000 && near == 0, "\(near) of \(all)")
    // A position a second: at fifteen metres a second some seven metres too late, and what is near takes a look more.
    #expect((50...70).contains(metres / Double(all)), "\(metres / Double(all))")
  }

  @Test func askingOftenDoesNotPutOffTheNextLookAtRest() throws {
    let body = Worlds.body(device: 1, in: ReceiverTests.city)
    var receiver = Receiver(model: .inVehicle, seed: 1, device: 1)
    receiver.start(at: Worlds.zero)
    let first = try #require(receiver.nextOccasion(of: body, distanceFilterMetres: 10, after: Worlds.zero))
    #expect(receiver.fix(of: body, at: first, distanceFilterMetres: 10) != nil)
    for seconds in 0..<20 as Range<Int64> {
      let next = receiver.nextOccasion(of: body, distanceFilterMetres: 10, after: first + .seconds(seconds))
      #expect(next == first + .seconds(20))
    }
  }

  @Test func outliersAreAsRareAsTheModelSaysAndFarAway() {
    let model = GPSModel(skySpread: 0, outliersPerHour: 5)
    let body = Worlds.body(device: 1, in: ReceiverTests.city)
    var (far, all) = (0, 0)
    for device in 0..<20 as Range<UInt64> {
      var receiver = Receiver(model: model, seed: 4, device: device)
      receiver.start(at: Worlds.zero)
      for slot in 30..<700 {
        let now = Worlds.zero + .seconds(10 * Int64(slot))
        guard let fix = receiver.fix(of: body, at: now) else { continue }
        all += 1
        if fix.place.distanceMetres(to: body.position(at: now)) >= 79 { far += 1 }
      }
    }
    let expected = Double(all) * 5 * 10 / 3_600
    #expect(all == 20 * 670)
    #expect((Double(far) - expected).magnitude < 4 * expected.squareRoot(), "\(far) of \(all)")
  }
}
