import Base
import Contract
import JSON

/// Whether a record says which one it is. A template may leave the uuid out, and then one that a server has acknowledged cannot be
/// told from one that it has lost (HttpConfig "Upload lifecycle"; SDK §9.4).
struct RecordNaming {
  private let decoder = RecordDecoder()
  /// The server inside knows a uuid where it looks for one; of another server it is unknown where that is.
  private let isServerInside: Bool

  init(isServerInside: Bool) { self.isServerInside = isServerInside }

  func isNamed(_ record: [UInt8], _ uuid: UUID128) -> Bool {
    guard isServerInside else {
      return record.span.contains(uuid.text) || record.span.contains(uuid.text.uppercased())
    }
    // What is put aside is known by its bytes.
    do throws(RecordProblem) { return try decoder.decode(record.span).uuid == uuid } catch { return true }
  }

  /// Why a store was not looked at, and what to do.
  static func reason(_ device: String) -> String {
    "the records of \(device) have no uuid that the server knows, as the template leaves it out: add \"uuid\":\"<%= uuid %>\" to it"
  }
}

/// Records of one device that wait and have no uuid, by their rows.
struct AnonymousRecords {
  private var records: [Int64: [UInt8]] = [:]

  mutating func insert(_ record: [UInt8], row: Int64) { records[row] = record }

  mutating func remove(_ row: Int64) { if !records.isEmpty { records[row] = nil } }

  /// The oldest one that a body without a root may hold: there the params are members beside its own (SDK §8.3).
  func row(in body: Span<UInt8>) -> Int64? {
    guard !records.isEmpty, let members = AnonymousRecords.members(of: body) else { return nil }
    return records.filter { _, record in
      AnonymousRecords.members(of: record.span)?.members.allSatisfy { members[$0.key] == $0.value } ?? false
    }.keys.min()
  }

  private static func members(of record: Span<UInt8>) -> JSONObject? {
    do throws(JSONError) {
      if case .object(let members) = try JSONValue(parsing: record) { return members }
    } catch { return nil }
    return nil
  }
}
