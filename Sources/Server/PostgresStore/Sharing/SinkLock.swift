import Database
import Store

/// Decides which of the servers forwards to a sink: the one that holds a lock in a session of its own. When its process dies,
/// the database ends the session and another server gets the lock
/// (https://www.postgresql.org/docs/15/explicit-locking.html#ADVISORY-LOCKS). Used on one thread only.
package final class SinkLock {
  private let place: String
  private let sink: String
  private let node: String
  private var session: PostgresConnection?
  private var hasLock = false

  /// `node` is the name of the server, which the others can read.
  package init(of sink: String, at place: String, as node: String) {
    (self.sink, self.place, self.node) = (sink, place, node)
  }

  /// Returns an expression for the number of the lock; `sink` is an expression for the name.
  static func key(of sink: String) -> String {
    "hashtextextended('sink ' || \(sink) || ' of ' || current_schema(), 0)"
  }

  /// The prefix of the server's name in the name of the session.
  static let namePrefix = "rollingroad "

  /// A node that vanishes without closing the connection is detected in about ten seconds.
  private static let settings = """
    SET tcp_keepalives_idle = 4; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3; SET tcp_user_timeout = 10000
    """

  /// Returns whether this server has the lock now; tries to get it if not.
  package func isHeld() -> Bool {
    do throws(StoreError) {
      let session: PostgresConnection
      if let kept = self.session { session = kept } else { session = try begin() }
      self.session = session
      if hasLock {
        _ = try session.asked("SELECT")
        return true
      }
      var arguments = PostgresArguments()
      arguments.add(sink)
      hasLock = try session.asked(
        "SELECT pg_try_advisory_lock(\(SinkLock.key(of: "$1::text")))", arguments
      ).flag(0, 0)
      return hasLock
    } catch {
      (session, hasLock) = (nil, false)
      return false
    }
  }

  private func begin() throws(StoreError) -> PostgresConnection {
    let session = try PostgresInstallation.openToRead(place, writes: true)
    do throws(PostgresConnection.Failure) { try session.run(SinkLock.settings) } catch { throw StoreError(error) }
    var name = PostgresArguments()
    name.add(SinkLock.namePrefix + node)
    _ = try session.asked("SELECT set_config('application_name', $1::text, false)", name)
    return session
  }
}
