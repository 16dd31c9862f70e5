import Base
import FleetSimulator
import Scenario
import Testing
import World

/// Who loses the network, and when.
@Suite struct BlackoutTests {
  private func square(latitude: Double, longitude: Double, degrees: Double) throws -> Polygon {
    let corners = [(-degrees, -degrees), (-degrees, degrees), (degrees, degrees), (degrees, -degrees)]
    let vertices = try corners.map { corner in
      try #require(Coordinate(latitude: latitude + corner.0, longitude: longitude + corner.1))
    }
    return try #require(Polygon(vertices))
  }

  private func report(_ areas: Polygon?...) throws -> RunReport {
    let faults = areas.enumerated().map { Fault.tunnel(300..<900, place: $0.element, name: "tunnel \($0.offset)") }
    return try Runs.run(Runs.setup(seed: 8, faults: faults, Runs.drivers(3, radio: .constant(.lte))))
  }

  @Test func aPlaceConcernsThoseInside() throws {
    let everywhere = try report(square(latitude: 48.137, longitude: 11.575, degrees: 1))
    let elsewhere = try report(square(latitude: 10, longitude: 10, degrees: 1))
    #expect(try everywhere.hash == report(nil).hash)
    #expect(try elsewhere.hash == report().hash)
    #expect(everywhere.hash != elsewhere.hash)
    #expect(everywhere.isRight && elsewhere.isRight)
  }

  @Test func whatWaitsInTheDarkGoesOutTogether() throws {
    let (dark, light) = (try report(nil), try report())
    #expect(dark.requests < light.requests)
    #expect(dark.sums.stored == dark.sums.created)
  }
}
