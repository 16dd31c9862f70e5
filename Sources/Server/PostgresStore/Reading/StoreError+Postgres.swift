import Database
import Store

extension StoreError {
  /// Creates an error for people: the place without its secrets, the server's message, and the remedy.
  init(_ failure: PostgresConnection.Failure, at place: PostgresURI?) {
    let said = place?.hidingSecrets(in: failure.message) ?? failure.message
    let remedy =
      switch failure.state {
      // insufficient_privilege
      case "42501":
        "; name the user who owns the tables, or let that user start a server once and GRANT the right to this one"
      case "":
        "; check that the server runs and takes writes, the URI, and the password (PGPASSWORD, PGPASSFILE or ?passfile=FILE)"
      default: ""
      }
    self.init(code: .unreachable, message: "\(place?.shown ?? "the database"): \(said)\(remedy)")
  }
}
