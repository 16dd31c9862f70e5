import Base
import Contract
import Testing

/// SDK §11.5: four units, told apart by size.
struct TokenExpiryTests {
  private let set = WallInstant(millisecondsSince1970: 1_700_000_000_123)

  private func milliseconds(_ expires: Double) -> Int64? {
    TokenExpiry.instant(of: expires, setAt: set)?.millisecondsSince1970
  }

  @Test(arguments: [0, -1, -0.5, -1e300]) func upToZeroMeansNever(expires: Double) {
    #expect(milliseconds(expires) == nil)
  }

  @Test(arguments: [(1.0, 1_000), (0.5, 500), (3_600, 3_600_000), (3_900, 3_900_000), (1e9, 1_000_000_000_000)])
  func smallNumbersAreSecondsFromNow(expires: Double, later: Int64) {
    #expect(milliseconds(expires) == set.millisecondsSince1970 + later)
  }

  @Test(arguments: [
    (1e9 + 1, 1_000_000_001_000), (1_700_003_600, 1_700_003_600_000), (1_700_003_600.5, 1_700_003_600_500),
  ])
  func largerOnesAreSecondsSince1970(expires: Double, instant: Int64) {
    #expect(milliseconds(expires) == instant)
  }

  @Test(arguments: [(1e12 + 1, 1_000_000_000_001), (1_700_003_600_123, 1_700_003_600_123)])
  func theLargestAreMillisecondsSince1970(expires: Double, instant: Int64) {
    #expect(milliseconds(expires) == instant)
  }

  @Test(arguments: [1e12, 253_402_300_800, 253_402_300_800_000, 1e18, 1e300])
  func whatEndsAfterTheLastYearNeverEnds(expires: Double) {
    #expect(milliseconds(expires) == nil)
  }
}
