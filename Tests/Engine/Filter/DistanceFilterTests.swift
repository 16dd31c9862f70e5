import Contract
import Testing

@testable import Engine

@Suite struct DistanceFilterTests {
  /// The table of SDK §14.1.
  @Test(arguments: [
    (1.85, 10.0, 50.0), (2.47, 10, 50), (2.68, 20, 100), (7.40, 20, 100), (7.61, 30, 150), (12.35, 30, 150),
    (12.55, 40, 200), (15.28, 40, 200), (33.8, 80, 400),
  ])
  func theDistanceGrowsByOneFilterForEachFiveMetresPerSecond(speed: Double, for10: Double, for50: Double) {
    #expect(DistanceFilter(configuredMetres: 10, elasticityMultiplier: 1).metres(atSpeed: speed) == for10)
    #expect(DistanceFilter(configuredMetres: 50, elasticityMultiplier: 1).metres(atSpeed: speed) == for50)
  }

  @Test func unknownSpeedsCountAsRest() {
    let filter = DistanceFilter(configuredMetres: 10, elasticityMultiplier: 1)
    #expect(filter.metres(atSpeed: nil) == 10)
    #expect(filter.metres(atSpeed: -1) == 10)
    #expect(filter.metres(atSpeed: -30) == 10)
  }

  @Test func theMultiplierScalesAndZeroSwitchesOff() {
    #expect(DistanceFilter(configuredMetres: 10, elasticityMultiplier: 2).metres(atSpeed: 10) == 50)
    #expect(DistanceFilter(configuredMetres: 10, elasticityMultiplier: 0).metres(atSpeed: 30) == 10)
    var configuration = Configuration(platform: .ios)
    configuration.geolocation.elasticityMultiplier = 3
    #expect(DistanceFilter(configuration).metres(atSpeed: 5) == 40)
    configuration.geolocation.disableElasticity = true
    #expect(DistanceFilter(configuration).metres(atSpeed: 30) == 10)
  }

  @Test func aChangeTellsTheOldDistanceAndNoChangeTellsNothing() {
    var filter = DistanceFilter(configuredMetres: 50, elasticityMultiplier: 1)
    #expect(filter.rescale(speed: 2) == nil)
    #expect(filter.rescale(speed: 9) == 50)
    #expect(filter.effectiveMetres == 150)
    #expect(filter.rescale(speed: 8) == nil)
    #expect(filter.beginMoving() == 150)
    #expect(filter.beginMoving() == nil)
    #expect(filter.effectiveMetres == 50)
  }

  @Test func theSystemDeliversFromTheEffectiveDistanceOn() {
    var filter = DistanceFilter(configuredMetres: 50, elasticityMultiplier: 1)
    _ = filter.rescale(speed: 5)
    #expect(!filter.lets(through: 99.9) && filter.lets(through: 100))
    #expect(DistanceFilter(configuredMetres: 0, elasticityMultiplier: 1).lets(through: 0))
    #expect(DistanceFilter(configuredMetres: -5, elasticityMultiplier: -1).metres(atSpeed: 20) == 0)
  }
}
