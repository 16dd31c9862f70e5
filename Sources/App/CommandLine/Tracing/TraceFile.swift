import DeviceLog
import FleetSimulator
import Scenario
import World

/// A file of a recorded drive.
struct TraceFile {
  let format: RouteFormat
  /// Of logs only.
  let log: LogReader?
  private let bytes: [UInt8]

  static let names = RouteFormat.allCases.map(\.rawValue).joined(separator: ", ")

  static func format(_ name: String) -> RouteFormat? { RouteFormat(rawValue: name) }

  init(_ file: [UInt8], path: String, format: RouteFormat?) throws(RouteError) {
    bytes = try RouteFile.unpacked(file)
    self.format = format ?? RouteFile.format(of: path) ?? RouteFile.format(guessedFrom: bytes)
    log = self.format == .sdkLog ? LogReader(String(decoding: bytes, as: UTF8.self)) : nil
  }

  func route() throws(RouteError) -> RouteRecording {
    if let log { return try RouteRecording(log) }
    return try RouteFile.read(bytes, as: format)
  }
}
