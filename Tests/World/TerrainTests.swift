import Base
import Testing

@testable import World

/// Heights that records carry (SDK §5.1): plausible, and smooth from place to place.
@Suite struct TerrainTests {
  private func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: latitude, longitude: longitude))
  }

  /// The undulation of EGM96 there, in metres.
  @Test(arguments: [
    (48.1, 11.6, 46.5), (51.5, 0.0, 45.5), (40.7, -74.0, -33.0), (37.8, -122.4, -32.0), (13.0, 77.6, -87.0),
    (-33.9, 151.2, 22.5), (35.7, 139.7, 36.5),
  ])
  func theSeaLiesWhereTheGeoidDoes(latitude: Double, longitude: Double, metres: Double) throws {
    let undulation = Terrain.undulationMetres(at: try place(latitude, longitude))
    #expect((undulation - metres).magnitude < 25, "\(undulation)")
  }

  @Test func munichLiesAbove400Metres() throws {
    let metres = Terrain.metres(at: try place(48.137, 11.575))
    #expect((400...700).contains(metres), "\(metres)")
    #expect((0...200).contains(Terrain.metres(at: try place(51.5, 0))))
  }

  @Test func aHundredMetresFartherTheGroundIsNearlyAsHigh() throws {
    for step in 0..<500 {
      let here = try place(48.1 + 0.0001 * Double(step), 11.5)
      let there = here.destination(bearingDegrees: 40, distanceMetres: 100)
      #expect((Terrain.metres(at: here) - Terrain.metres(at: there)).magnitude < 5)
      #expect((Terrain.undulationMetres(at: here) - Terrain.undulationMetres(at: there)).magnitude < 0.1)
    }
  }
}
