import Base
import FoundationEssentials

extension Date {
  init(_ instant: WallInstant) {
    self.init(timeIntervalSince1970: Double(instant.millisecondsSince1970) / 1_000)
  }

  /// To the millisecond; dates beyond the years 1 to 9999 become the nearest of them.
  var wallInstant: WallInstant {
    let milliseconds = (timeIntervalSince1970 * 1_000).rounded()
    let earliest = Double(WallInstant.earliest.millisecondsSince1970)
    let latest = Double(WallInstant.latest.millisecondsSince1970)
    guard milliseconds >= earliest else { return .earliest }
    return milliseconds > latest ? .latest : WallInstant(millisecondsSince1970: Int64(milliseconds))
  }

  var iso8601Text: String { wallInstant.iso8601Text }
}
