import Base
import Support
import Testing

@Suite struct BearingTests {
  /// The angle between two bearings, 0 to 180.
  static func difference(_ left: Double, _ right: Double) -> Double {
    let difference = abs(left - right).truncatingRemainder(dividingBy: 360)
    return min(difference, 360 - difference)
  }

  @Test func randomBearingsAreTheEllipsoids() {
    var generator = SeededGenerator(seed: 360)
    for round in 0..<20_000 {
      let from = Places.anywhere(&generator)
      let reach = [10, 1_000, 100_000, 10_000_000.0][round % 4]
      let to = Places.near(from, metres: reach, &generator)
      guard from.latitude.magnitude < 90, let expected = Vincenty.inverse(from, to) else { continue }
      guard expected.metres > 0.1, expected.metres < 15_000_000 else { continue }
      let bearing = from.initialBearingDegrees(to: to)
      #expect((0..<360).contains(bearing))
      // A micrometre to the side, for near places, and near a pole what a degree's rounding turns.
      let rounding = 1e-6 / expected.metres * 57.3
      #expect(BearingTests.difference(bearing, expected.bearing) < 0.002 + rounding, "\(from) \(to) \(expected)")
    }
  }

  @Test func bearingsAlongTheAxesAreExact() {
    let origin = Places.at(0, 0)
    #expect(origin.initialBearingDegrees(to: Places.at(1, 0)) == 0)
    #expect(origin.initialBearingDegrees(to: Places.at(0, 1)) == 90)
    #expect(origin.initialBearingDegrees(to: Places.at(-1, 0)) == 180)
    #expect(origin.initialBearingDegrees(to: Places.at(0, -1)) == 270)
    #expect(origin.initialBearingDegrees(to: origin) == 0)
    #expect(Places.at(0, 179.5).initialBearingDegrees(to: Places.at(0, -179.5)) == 90)
    #expect(Places.at(0, -179.5).initialBearingDegrees(to: Places.at(0, 179.5)) == 270)
    #expect(Places.at(45, 10).initialBearingDegrees(to: Places.at(90, 77)) < 1e-9)
    #expect(abs(Places.at(90, 10).initialBearingDegrees(to: Places.at(80, 10)) - 180) < 1e-9)
  }

  @Test func thePublishedDestinationIsReached() {
    // GeographicLib's documentation: 20,000 km from Perth towards south-west.
    let end = Places.at(-32.06, 115.74).destination(bearingDegrees: 225, distanceMetres: 20_000_000)
    #expect(abs(end.latitude - 32.11195529) < 1e-8)
    #expect(abs(end.longitude - -63.95925278) < 1e-8)
    // The Geocentric Datum of Australia technical manual.
    let buninyon = Places.at(-37.951033417, 144.424867889)
      .destination(bearingDegrees: 306.868158, distanceMetres: 54_972.271)
    #expect(abs(buninyon.latitude - -37.652821139) < 1e-8)
    #expect(abs(buninyon.longitude - 143.926495528) < 1e-8)
  }

  @Test func aDestinationIsAsFarAndInTheDirectionAsAsked() {
    var generator = SeededGenerator(seed: 54_972)
    for round in 0..<20_000 {
      let from = Places.anywhere(&generator)
      let bearing = Double.random(in: 0..<360, using: &generator)
      let metres = Double.random(in: 0...[1, 1_000, 1_000_000, 15_000_000.0][round % 4], using: &generator)
      let to = from.destination(bearingDegrees: bearing, distanceMetres: metres)
      guard let expected = Vincenty.inverse(from, to) else { continue }
      #expect(abs(expected.metres - metres) < 0.001, "\(from) \(bearing) \(metres)")
      guard from.latitude.magnitude < 89, metres > 1 else { continue }
      let tolerance = 1e-6 + 0.001 / metres * 57.3
      #expect(BearingTests.difference(expected.bearing, bearing) < tolerance, "\(from) \(bearing) \(metres)")
    }
  }

  @Test func nothingToGoLeadsNowhere() {
    let place = Places.at(51.5, -0.12)
    let end = place.destination(bearingDegrees: 123, distanceMetres: 0)
    #expect(abs(end.latitude - 51.5) < 1e-13 && abs(end.longitude - -0.12) < 1e-13)
  }

  @Test func aDestinationCrossesTheAntimeridianAndThePole() {
    let east = Places.at(0, 179.5).destination(bearingDegrees: 90, distanceMetres: 111_319.490793)
    #expect(abs(east.longitude - -179.5) < 1e-9 && abs(east.latitude) < 1e-9)
    let west = Places.at(0, -179.5).destination(bearingDegrees: 270, distanceMetres: 111_319.490793)
    #expect(abs(west.longitude - 179.5) < 1e-9)
    let over = Places.at(89.5, 20).destination(bearingDegrees: 0, distanceMetres: 111_693.9)
    #expect(abs(over.latitude - 89.5) < 1e-5 && abs(over.longitude - -160) < 1e-6)
  }
}
