import Base
import Database
import Scenario

/// A PostgreSQL database, queried through its client library.
struct PostgresView: StoreView {
  let uri: String
  let query: String
  let fields: [Named<[JSONStep]>]

  /// Without the password.
  var place: String { PostgresURI(uri)?.shown ?? "PostgreSQL" }
  var isOfAllDevices: Bool { !DeviceParameter.stands(in: query) }

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
    try session().read(device, take)
  }

  func session() throws(StoreViewError) -> any StoreSession { try PostgresSession(self) }
  func check() throws(StoreViewError) { try PostgresSession(self).check() }

  func listCommand(for device: String) -> String? {
    "psql \(place.shellWord) -c \(DeviceParameter.filled(query, device).shellWord)\(isOfAllDevices ? device.asFilter : "")"
  }

  fileprivate func problem(_ failure: PostgresConnection.Failure) -> StoreViewError {
    StoreViewError(text: "\(place): \(PostgresURI(uri)?.hidingSecrets(in: failure.message) ?? "it cannot be read")")
  }
}

/// One connection for all devices.
private final class PostgresSession: StoreSession {
  private let store: PostgresView
  private let connection: PostgresConnection
  private let query: String

  init(_ store: PostgresView) throws(StoreViewError) {
    self.store = store
    query = DeviceParameter.replaced(in: store.query, by: "$1")
    do throws(PostgresConnection.Failure) { connection = try PostgresConnection(to: store.uri) } catch {
      throw store.problem(error)
    }
  }

  /// Checks that the query is a single one on existing tables.
  func check() throws(StoreViewError) {
    do throws(PostgresConnection.Failure) { try connection.check(query) } catch { throw store.problem(error) }
  }

  func read(_ device: String, _ take: (StoredRecord) -> Void) throws(StoreViewError) -> ListEnd {
    do throws(PostgresConnection.Failure) {
      try connection.ask(query, value: store.isOfAllDevices ? nil : device)
      var columns: [(name: String, kind: Kind)] = []
      while try connection.step() {
        if columns.isEmpty { columns = connection.header.map { ($0.name, Kind($0.type)) } }
        var members: [(String, StoredValue)] = []
        members.reserveCapacity(columns.count)
        for (index, column) in columns.enumerated() {
          members.append((column.name, connection.text(at: index).map(column.kind.value) ?? .null))
        }
        take(StoredRecord(.object(members), fields: store.fields))
      }
      return ListEnd()
    } catch { throw store.problem(error) }
  }

  /// The type of a column's texts (https://www.postgresql.org/docs/15/datatype.html).
  private enum Kind {
    case bool, number, instant, bytes, text

    /// Maps the OIDs of pg_type.dat.
    init(_ type: UInt32) {
      self =
        switch type {
        case 16: .bool
        case 17: .bytes
        case 20, 21, 23, 26, 700, 701, 1700: .number
        case 1184: .instant
        default: .text
        }
    }

    func value(_ text: String) -> StoredValue {
      switch self {
      case .bool: return .bool(text == "t")
      case .number: return text.contains { $0.isLetter && $0 != "e" } ? .text(text) : .number(text)
      case .instant:
        // The transaction's time zone is UTC: "2026-07-28 18:34:22.563+00". A column without a zone does not define an
        // instant and is left as is.
        return .text((text.hasSuffix("+00") ? String(text.dropLast(3)) : text) + "Z")
      case .bytes:
        // "\x3f25…", the hex format of bytea_output.
        let digits = Array(text.utf8.dropFirst(2))
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
          UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16)
        }
        return StoredValue(stored: bytes)
      case .text: return .text(text)
      }
    }
  }
}
