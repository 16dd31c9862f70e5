import Base
internal import CPostgres

/// A connection to a PostgreSQL database. It is used in one of two ways: with `ask` and `step`, which keep one row in memory at
/// a time, or with `send` and `flush`, which send many statements at once.
@safe
package final class PostgresConnection {
  let connection: OpaquePointer
  private var columns: Int32 = -1
  var statements = PreparedStatements()

  /// The message of the server or its library, without line breaks.
  package struct Failure: Error, Equatable {
    package let message: String
    /// The server's code (https://www.postgresql.org/docs/15/errcodes-appendix.html); empty when the error does not come from
    /// the server.
    package var state = ""
    /// Whether the connection is lost.
    package var isLost = false

    package init(message: String, state: String = "", isLost: Bool = false) {
      (self.message, self.state, self.isLost) = (message, state, isLost)
    }
  }

  /// Whether libpq, PostgreSQL's client library, is installed (docs/decisions/0027).
  package static var isLibraryThere: Bool { rr_postgres_is_there() != 0 }

  /// The server ends a query after five minutes.
  package static let silenceMax = 310_000

  /// Connects to the database at a URI as postgresql://user@host/name; with several hosts and `writes`, to one that accepts
  /// writes. A server that sends nothing for `silence` milliseconds is given up.
  package init(to place: String, silence: Int = silenceMax, writes: Bool = false) throws(Failure) {
    guard PostgresConnection.isLibraryThere else {
      throw Failure(
        message: "PostgreSQL needs its client library, libpq.so.5: install the package libpq5", isLost: true)
    }
    guard let connection = unsafe rr_postgres_open(place, Int32(silence), writes ? 1 : 0) else {
      throw Failure(message: "no memory", isLost: true)
    }
    unsafe self.connection = connection
    let refusal = failure.message
    guard refusal.isEmpty else { throw Failure(message: refusal, isLost: true) }
  }

  deinit { unsafe rr_postgres_close(connection) }

  var failure: Failure {
    Failure(
      message: unsafe String(cString: rr_postgres_error(connection)).onOneLine,
      state: unsafe String(cString: rr_postgres_state(connection)), isLost: unsafe rr_postgres_is_lost(connection) == 1)
  }

  /// Runs a query in a read-only transaction of its own; the rows of the previous query must have been read to their end.
  /// `value` is that of `$1`, nil if the query has none.
  package func ask(_ sql: String, value: String?) throws(Failure) {
    columns = -1
    guard unsafe rr_postgres_ask(connection, sql, value) == 1 else { throw failure }
  }

  /// Advances to the next row; returns false when there is none.
  package func step() throws(Failure) -> Bool {
    switch unsafe rr_postgres_step(connection) {
    case 1:
      if columns < 0 { columns = unsafe rr_postgres_columns(connection) }
      return true
    case 0:
      columns = -1
      return false
    default:
      columns = -1
      throw failure
    }
  }

  /// The names and types of the columns of the current row; a type is given by its OID.
  package var header: [(name: String, type: UInt32)] {
    (0..<max(0, columns)).map { column in
      unsafe (String(cString: rr_postgres_name(connection, column)), rr_postgres_type(connection, column))
    }
  }

  /// Returns PostgreSQL's text of a value; nil for NULL.
  package func text(at column: Int) -> String? {
    precondition(column < Int(columns), "no such column, or no row to read it from")
    return unsafe rr_postgres_value(connection, Int32(column)).map { unsafe String(cString: $0) }
  }
}
