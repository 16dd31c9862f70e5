extension Connection {
  /// Throws `.settingRefused` when SQLite keeps another value.
  package func apply(_ setting: Setting) throws(DatabaseError) {
    let (name, value) = setting.pragma
    let sql = "PRAGMA \(name) = \(value)"
    try execute(sql)
    var query = try prepare("PRAGMA \(name)")
    var rows = query.start()
    let actual = try rows.step() ? rows.text(at: 0) : ""
    guard actual == value else { throw DatabaseError(.settingRefused, "\(name) stays \(actual)", sql: sql) }
  }
}
