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
        "; give its user the right, as with GRANT CREATE ON DATABASE, or let the owner of the tables start a server once"
      case "":
        "; check that the server runs, the URI, and the password (PGPASSWORD, PGPASSFILE or ?passfile=FILE)"
      default: ""
      }
    self.init(code: .unreachable, message: "\(place?.shown ?? "the database"): \(said)\(remedy)")
  }
}
