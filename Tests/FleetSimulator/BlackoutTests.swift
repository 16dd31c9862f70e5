import Base
import FleetSimulator
import Oracle
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

  private static func report(_ areas: Polygon?...) throws -> RunReport {
    let faults = areas.enumerated().map { Fault.tunnel(200..<500, place: $0.element, name: "tunnel \($0.offset)") }
    return try Runs.run(Runs.setup(seed: 8, minutes: 10, faults: faults, Runs.drivers(3, radio: .constant(.lte))))
  }

  private static let dark = Result { try report(nil) }
  private static let light = Result { try report() }

  @Test func aPlaceConcernsThoseInside() throws {
    let everywhere = try Self.report(square(latitude: 48.137, longitude: 11.575, degrees: 1))
    let elsewhere = try Self.report(square(latitude: 10, longitude: 10, degrees: 1))
    #expect(try everywhere.hash == Self.dark.get().hash)
    #expect(try elsewhere.hash == Self.light.get().hash)
    #expect(everywhere.hash != elsewhere.hash)
    #expect(everywhere.isRight && elsewhere.isRight)
  }

  @Test func recordsQueuedWithoutNetworkAreSentInFewerRequests() throws {
    let (dark, light) = (try Self.dark.get(), try Self.light.get())
    #expect(dark.requests < light.requests)
    #expect(dark.sums.stored == dark.sums.created)
  }
}
