import Base

/// A store that is read without its backend: a database with a query, a command, a file, a stream.
package struct StorePlace: Equatable, Sendable {
  package var database: String?
  package var query: String?
  package var command: String?
  package var file: String?
  package var stream: String?

  package init() {}

  /// The number of places; only one can be read.
  package var count: Int { [database, command, file, stream].count { $0 != nil } }

  /// Whether a database has no query, or a query no database.
  package var isHalf: Bool { (database == nil) != (query == nil) }

  /// Whether a query may ask for one device, or show it: what columns `*` stands for, only the database knows.
  package static func mayNameDevice(query: String) -> Bool { query.contains("device") || query.contains("*") }
}

extension StorePlace: ScenarioSection {
  static let table = Table<StorePlace>(
    "store", "Source of the stored records other than the backend itself.",
    [
      .optional(
        "database", \.database, .text,
        "Database to read from: a file of SQLite, opened for reading, or a URI as `postgresql://user@host/name`."),
      .optional(
        "query", \.query, .text,
        "Query for the records of one device, `:device`, in that database, or for those of all with a column `device`. The columns are the fields of an entry; a column with JSON is parsed."
      ),
      .optional(
        "command", \.command, .text,
        "Command of the shell that prints the records of `$DEVICE`, a JSON object or a uuid on each line."),
      .optional(
        "file", \.file, .text,
        "File with a JSON object on each line, of all devices; a field `device` names the device."),
      .optional(
        "stream", \.stream, .text,
        "Stream of NATS or topic of Kafka to which the records go on, as `nats://host/prefix` or `kafka://host/topic`: messages of JSON objects with `id`, `device` and `record`. `?run=NAME` keeps to one run, `?ca=FILE` names authorities for TLS; a token, or USER:PASSWORD for Kafka, is in the variable `ROLLINGROAD_VERIFY_TOKEN`."
      ),
    ])
}
