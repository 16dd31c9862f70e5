import BackendStore
internal import Base
import Database
import Scenario

/// `--verify`, the place where a backend shows stored records: a URL, a database queried by `--query`, a stream, or a
/// file of lines.
enum VerifyFlag {
  case url(String)
  case place(StorePlace)

  static let all: [Flag] = [
    .value(
      "verify", "PLACE",
      "where to read the stored records: a URL that lists the records of {device}, a database (with --query), a stream (nats://, tls://, kafka://; its token in ROLLINGROAD_VERIFY_TOKEN), or a file of JSON lines"
    ),
    .value("query", "SQL", "query for the records of :device in the database of --verify"),
    .value("uuids", "PATH", "JSON path of the records in the list of --verify URL, or of their uuids [$[*]]"),
  ]

  /// Returns the value of `--uuids`; nil when the flag is not given. `url` is the URL that it applies to.
  static func path(_ values: FlagValues, in url: String?) throws(UsageError) -> String? {
    let path = try values.read("uuids", expected: "a path as in $.items[*].uuid") { text in
      TargetVerification.isPath(text) ? text : nil
    }
    guard path == nil || url != nil else { throw UsageError("--uuids needs --verify with a URL") }
    return path
  }

  /// Nil when the flag is not given.
  init?(_ values: FlagValues) throws(UsageError) {
    let query = values.text("query")
    guard let place = values.text("verify") else {
      if query != nil { throw UsageError("--query needs --verify with a database") }
      return nil
    }
    if URLParts(place).isHTTP || place.contains("{device}") {
      guard query == nil else { throw UsageError("--query is for databases, not for a URL; remove it") }
      guard place.contains("{device}") else {
        throw UsageError("--verify: a list of one device's records needs {device} in its URL, not '\(place)'")
      }
      self = .url(place)
    } else if StorePlace.isStream(place) {
      guard query == nil else { throw UsageError("--query is for databases, not for a stream; remove it") }
      var store = StorePlace()
      store.stream = place
      if let problem = store.problem { throw UsageError("--verify: \(problem)") }
      self = .place(store)
    } else if let query {
      guard StorePlace.mayNameDevice(query: query) else {
        throw UsageError("--query: add WHERE device = :device, or a column device")
      }
      var store = StorePlace()
      (store.database, store.query) = (place, query)
      self = .place(store)
    } else {
      guard PostgresURI(place) == nil else {
        throw UsageError("--verify: a database needs --query 'SELECT … WHERE device = :device'")
      }
      var store = StorePlace()
      store.file = place
      self = .place(store)
    }
  }
}
