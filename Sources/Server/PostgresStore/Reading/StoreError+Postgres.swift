import Database
import Store

extension StoreError {
  /// What a person reads: the place without its secrets, what the server says, and what to do about it.
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
