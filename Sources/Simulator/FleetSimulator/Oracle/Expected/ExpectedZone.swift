import Base

/// What the clocks on the wall show where the devices are.
struct ExpectedZone: Equatable, Sendable {
  /// At an instant they are put to another distance from UTC.
  struct Step: Equatable, Sendable {
    let instant: WallInstant
    let offsetSeconds: Int
  }

  private let first: Int
  /// In the order of time.
  private let all: [Step]

  init(offsetSeconds: Int, steps: [Step] = []) { (first, all) = (offsetSeconds, steps) }

  var steps: [WallInstant] { all.map(\.instant) }

  /// Milliseconds since 1970 on the clock on the wall.
  func local(_ instant: WallInstant) -> Int64 {
    let offset = all.last { $0.instant <= instant }?.offsetSeconds ?? first
    return instant.millisecondsSince1970 + Int64(offset) * 1_000
  }

  /// When the clocks on the wall show a time: twice, once or never.
  func instants(ofLocal milliseconds: Int64) -> [WallInstant] {
    Set([first] + all.map(\.offsetSeconds)).compactMap { offset in
      let instant = WallInstant(exactly: milliseconds - Int64(offset) * 1_000)
      return instant.flatMap { local($0) == milliseconds ? $0 : nil }
    }
  }

  /// Around an instant at which they are put: what is meant by a time then, two readers may read in two ways.
  func isUnsure(_ instant: WallInstant) -> Bool {
    all.contains { abs($0.instant.milliseconds(since: instant)) <= 3_660_000 }
  }
}
