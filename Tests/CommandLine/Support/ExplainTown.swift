import Base
import Glibc
import IngestServer
import Store
import Support
import Synchronization
import Testing

@testable import CommandLine

/// The data of a server, the logs of its phones, and a backend's own list of what it has.
struct ExplainTown {
  private static let scenario = """
    {
      version: 1, name: "errand", seed: 3, clock: { duration: "8m", settle: "2m" },
      fleets: { cars: { devices: 2, motion: "driving", network: "wifi" } },
      outputs: [{ type: "sdk-log", dir: "sdk", devices: "all" }],
    }
    """

  let folder: TemporaryFolder
  private let drive: Drive

  var records: [(uuid: UUID128, json: String)] { drive.records }
  var data: String { drive.folder.file("data") }
  var log: String { drive.folder.file("out/sdk/cars-1.log") }
  static let dialect = "stored.json5"

  /// Tests share one drive, which they only read. A test that needs the running server has a drive of its own.
  init(while running: ((String) throws -> Void)? = nil) throws {
    folder = try TemporaryFolder()
    drive = if let running { try Drive(while: running) } else { try Drive.made() }
  }

  /// The records that a phone has sent.
  func records(of device: String) throws -> [(uuid: UUID128, json: String)] {
    try Drive.records(of: device, in: data)
  }

  func readLog() throws -> [UInt8] { try drive.folder.read("out/sdk/cars-1.log") }

  /// What the phones and the server have left.
  private final class Drive: Sendable {
    let folder: TemporaryFolder
    let records: [(uuid: UUID128, json: String)]

    private static let shared = Mutex<Drive?>(nil)
    private static let removesAtExit: Void = { atexit { Drive.shared.withLock { $0 = nil } } }()

    static func made() throws -> Drive {
      removesAtExit
      return try shared.withLock { drive in
        let made = try drive ?? Drive { _ in }
        drive = made
        return made
      }
    }

    init(while running: (String) throws -> Void) throws {
      folder = try TemporaryFolder()
      let server = try LocalServer.start(in: folder.file("data"))
      defer { server.stop() }
      let call = CommandCall(
        [
          "simulate", "errand.json5", "--quiet", "--mode", "lockstep", "--target", server.url, "--preset",
          "rollingroad",
          "--out", folder.file("out"),
        ], files: ["errand.json5": ExplainTown.scenario])
      #expect(call.code == .ok, "\(call.output)\(call.error)")
      records = try Drive.records(of: "cars-1", in: folder.file("data"))
      try running(server.url)
    }

    static func records(of device: String, in data: String) throws -> [(uuid: UUID128, json: String)] {
      try SQLiteReader(folder: data).history(of: DeviceIdentity(name: device), limit: 10_000).elements.map { point in
        (point.uuid, String(decoding: point.record, as: UTF8.self))
      }
    }
  }

  /// Writes what the backend has: each record once under its phone, but for the named ones.
  func write(_ change: (Int, String) -> [(device: String, json: String)]) throws {
    var lines = ""
    for (number, record) in records.enumerated() {
      for row in change(number, record.json) { lines += #"{"device":"\#(row.device)","record":\#(row.json)}"# + "\n" }
    }
    try folder.write(Array(lines.utf8), to: "stored.ndjson")
  }

  func explain(_ words: String...) -> CommandCall {
    let file = folder.file("stored.ndjson")
    return CommandCall(
      ["explain"] + words, files: [ExplainTown.dialect: "{ version: 1, verify: { file: '\(file)' } }"])
  }
}

extension UUID128 {
  var lowerCase: String {
    var bytes: [UInt8] = []
    append(lowerCaseTextTo: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
