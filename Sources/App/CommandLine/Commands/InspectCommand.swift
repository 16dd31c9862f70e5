import Base
import Database
import JSON
import PostgresStore
import Store

extension Subcommand {
  static let inspect = Subcommand(
    name: "inspect",
    summary: "check a data folder or a database and show what is in it",
    operands: "DIR|URI",
    operandCount: 1...1,
    flags: [
      .toggle("json", "print one JSON object"),
      .value("limit", "N", "how many devices and quarantined records to list", standard: "100"),
    ],
    details: """
      Checks every page of the database, counts what it holds, and lists devices and quarantined records. It only reads,
      so it can be used while a server runs on the folder. The exit code is 1 when the folder cannot be read or the
      database is damaged. For a PostgreSQL database (postgres://…) it only counts and lists; use pg_amcheck to check
      its pages.
      """,
    run: { (invocation) throws(UsageError) in
      let limit = try invocation.values.read("limit", expected: "a whole number above 0") { text in
        Quantities.count(text).flatMap { $0 > 0 ? $0 : nil }
      }
      do throws(StoreError) {
        let inspection = try Inspection(of: invocation.operands[0], limit: limit ?? 100)
        invocation.process.writeOutput(invocation.values.isOn("json") ? inspection.json : inspection.table)
        return inspection.problems.isEmpty ? .ok : .runtimeFailure
      } catch {
        invocation.process.writeError("rollingroad inspect: \(error.message)")
        return .runtimeFailure
      }
    })
}

/// The results of `inspect` for a data folder or a database.
struct Inspection {
  let problems: [String]
  /// Whether every page was checked.
  let isChecked: Bool
  let counts: StoreCounts
  /// The number of existing records, counted one by one.
  let stored: Int64
  let devices: [StoredDevice]
  let quarantine: [QuarantinedRecord]

  init(of place: String, limit: Int) throws(StoreError) {
    let reader: any StoreReader
    isChecked = PostgresURI(place) == nil
    if isChecked {
      let file = try SQLiteReader(folder: place)
      (reader, problems) = (file, try file.problems())
    } else {
      (reader, problems) = (try PostgresReader(to: place), [])
    }
    counts = try reader.counts()
    stored = try reader.countStored()
    devices = try reader.devices(limit: limit).elements
    quarantine = try reader.quarantine(limit: limit).elements
  }

  private static func time(_ milliseconds: Int64) -> String {
    WallInstant(exactly: milliseconds)?.iso8601Text ?? "-"
  }
}

extension Inspection {
  /// The report as text.
  var table: String {
    var lines = [
      "integrity    \(!isChecked ? "not checked" : problems.isEmpty ? "ok" : problems.count.of("problem"))",
      "devices      \(counts.devices)",
      "records      \(stored) stored, \(counts.accepted) accepted, \(counts.duplicates.of("duplicate"))",
      "quarantined  \(counts.quarantined)",
      "partitions   \(counts.partitions)",
      "size         \(counts.usedBytes) bytes",
    ]
    lines += problems.map { "problem      \($0.onOneLine)" }
    if !devices.isEmpty {
      lines += ["", Self.row("device", "run", "records", "last seen", "latest position")]
      for device in devices {
        let position = device.latest.map { "\($0.latitude) \($0.longitude) at \(Self.time($0.recordedAt))" } ?? "-"
        lines.append(
          Self.row(
            device.identity.name, device.identity.run, "\(device.points)", Self.time(device.lastSeen), position))
      }
      if counts.devices > Int64(devices.count) { lines.append("… and \(counts.devices - Int64(devices.count)) more") }
    }
    if !quarantine.isEmpty {
      lines += ["", Self.row("quarantined of", "run", "bytes", "received", "reason")]
      for record in quarantine {
        let reason = record.detail.isEmpty ? record.reason : "\(record.reason): \(record.detail)"
        lines.append(
          Self.row(
            record.device.name, record.device.run, "\(record.record.count)", Self.time(record.receivedAt), reason))
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func row(_ name: String, _ run: String, _ count: String, _ time: String, _ rest: String) -> String {
    func padded(_ text: String, _ width: Int) -> String {
      let text = printable(text)
      return text + String(repeating: " ", count: max(0, width - text.count)) + "  "
    }
    return padded(name, 24) + padded(run.isEmpty ? "-" : run, 12) + padded(count, 9) + padded(time, 24)
      + printable(rest)
  }

  /// Removes control characters: a device's name must not control the terminal.
  private static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) ? "?" : $0 }))
  }

  /// The report as JSON: `isChecked`, `problems` (empty when there are none), the counts, `devices`, `quarantine`.
  var json: String {
    let devices: [JSONValue] = devices.map { device in
      var object: JSONObject = [
        "name": .string(device.identity.name), "run": .string(device.identity.run),
        "records": .integer(device.points), "duplicates": .integer(device.duplicates),
        "quarantined": .integer(device.quarantined), "firstSeen": .string(Self.time(device.firstSeen)),
        "lastSeen": .string(Self.time(device.lastSeen)),
      ]
      if let latest = device.latest {
        object["latest"] = .object([
          "latitude": .double(latest.latitude), "longitude": .double(latest.longitude),
          "recordedAt": .string(Self.time(latest.recordedAt)),
        ])
      }
      return .object(object)
    }
    let quarantine: [JSONValue] = quarantine.map { record in
      .object([
        "device": .string(record.device.name), "run": .string(record.device.run),
        "receivedAt": .string(Self.time(record.receivedAt)), "reason": .string(record.reason),
        "detail": .string(record.detail), "record": .string(String(decoding: record.record, as: UTF8.self)),
      ])
    }
    let whole: JSONValue = .object([
      "isChecked": .bool(isChecked), "problems": .array(problems.map { .string($0) }),
      "deviceCount": .integer(counts.devices),
      "storedCount": .integer(stored), "acceptedCount": .integer(counts.accepted),
      "duplicateCount": .integer(counts.duplicates), "quarantinedCount": .integer(counts.quarantined),
      "partitionCount": .integer(counts.partitions), "usedBytes": .integer(counts.usedBytes),
      "devices": .array(devices), "quarantine": .array(quarantine),
    ])
    return whole.serializedText
  }
}
