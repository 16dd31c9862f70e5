import PostgresStore
import Store
import Support

/// Where the server of a campaign keeps its records: in a folder, or in a database that the campaign has started.
struct Place {
  let program: String
  /// The log of the server stands beside it.
  let folder: String
  var database: (cluster: PostgresCluster, uri: String)?

  /// Of a campaign with this name.
  init(_ name: String, program: String, in work: TemporaryFolder, cluster: PostgresCluster? = nil) {
    self.program = program
    folder = work.file(cluster == nil ? name : name + "-postgres")
    database = cluster.map { ($0, $0.place()) }
  }

  /// Behind the name of a campaign.
  var words: String { database == nil ? "" : ", PostgreSQL" }

  func start() throws -> ServerProcess {
    try ServerProcess(program: program, folder: folder, data: database?.uri)
  }

  func reader() throws(StoreError) -> any StoreReader {
    if let database { return try PostgresReader(to: database.uri) }
    return try SQLiteReader(folder: folder)
  }
}
