import Base
import DeviceLog
import FoundationEssentials
import Testing

@testable import Explain

/// The gaps of the logs of real devices, when somebody has them: `CAR_LOG` and `SLC_LOG` name the unpacked files. What is expected was
/// read off the logs by eye.
@Suite struct RealGapTests {
  private static let car = ProcessInfo.processInfo.environment["CAR_LOG"]
  private static let slc = ProcessInfo.processInfo.environment["SLC_LOG"]

  private func story(_ path: String?) throws -> LogStory {
    let data = try Data(contentsOf: URL(filePath: try #require(path)))
    return try ReadLog.story([UInt8](data), file: "phone.log")
  }

  /// First and last line, and the causes in their order.
  private func shape(_ gap: Gap) -> String {
    "\(gap.lines?.lowerBound ?? 0)-\(gap.lines?.upperBound ?? 0) \(gap.edge) \(gap.causes.map(\.rawValue).joined(separator: ", "))"
  }

  @Test(.enabled(if: car != nil, "CAR_LOG names no log")) func aDrive() throws {
    let story = try story(Self.car)
    #expect(story.recordCount == 127 && story.isBlanked && story.zone.offsetMinutes == -240)
    #expect(
      story.gaps.map(shape) == [
        "1-2274 logBegins stationary, suspended", "2582-2827 none below-distance-filter",
        "3188-3357 none below-distance-filter", "3357-3742 none stationary", "5392-5603 none below-distance-filter",
        "8607-8790 none below-distance-filter", "8850-8950 none below-distance-filter",
        "8950-9148 none below-distance-filter", "9148-9306 none below-distance-filter",
        "9359-9598 none below-distance-filter", "9598-10056 none stationary, suspended",
        "14004-14139 none below-distance-filter", "14952-15193 none below-distance-filter",
        "15193-19353 logEnds stationary, terminated, suspended",
      ])
    let rest = try #require(story.gaps.first { $0.lines?.lowerBound == 9_598 })
    let lines = rest.evidence.compactMap(\.line)
    // The end of the background tasks, both silences, the fetch that woke it, and the exit of the region.
    for line in [9_976, 9_993, 10_004, 10_019, 10_023] { #expect(lines.contains(line), "\(line)") }
  }

  @Test(.enabled(if: slc != nil, "SLC_LOG names no log")) func significantChanges() throws {
    let story = try story(Self.slc)
    #expect(story.recordCount == 12 && story.isBlanked && story.zone.offsetMinutes == -240)
    #expect(
      story.gaps.map(shape) == [
        "1-67 logBegins stationary", "196-257 none rejected, no-fix", "295-318 none no-fix", "378-391 none no-fix",
      ])
    #expect(story.gaps.first?.to.iso8601Text == "2026-07-05T00:38:51.957Z")
  }
}
