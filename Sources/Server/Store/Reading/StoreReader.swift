import Database

/// Questions to the store. Each answer is a page, read in one short transaction, so that no reader keeps the log from being
/// reused; a long result is many pages. Belongs to the thread that owns its connection.
package final class StoreReader {
  let connection: StoreConnection

  init(on connection: StoreConnection) { self.connection = connection }

  /// A connection of its own, beside a writer in this or another process. The file must be there.
  package init(folder: String) throws(StoreError) {
    let path = DataFolder.databasePath(in: folder)
    if let missing = FolderSurvey.missingStore(in: folder) {
      throw StoreError(code: .inputOutput, message: "\(missing); name the --data folder of a server")
    }
    do {
      let database = try Connection(path: path, access: .readOnly)
      _ = try database.version(of: StoreSchema.schema)
      connection = StoreConnection(database)
    } catch {
      throw StoreError(error, opening: path)
    }
  }

  /// Runs a question on one state of the data.
  func ask<Answer>(_ body: () throws(DatabaseError) -> Answer) throws(StoreError) -> Answer {
    do {
      return try connection.database.transaction(.deferred, body)
    } catch {
      throw StoreError(error, opening: "the store")
    }
  }

  func identifier(of device: DeviceIdentity) throws(DatabaseError) -> Int64? {
    try connection.with(
      "SELECT id FROM devices WHERE run = ?1 AND name = ?2"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, text: device.run.utf8.span)
      row.bind(2, text: device.name.utf8.span)
      return try row.step() ? row.integer(at: 0) : nil
    }
  }
}
