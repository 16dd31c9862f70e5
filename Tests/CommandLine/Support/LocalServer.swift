import IngestServer

enum LocalServer {
  /// A server within this process, at a port that was free.
  static func start(in folder: String = ":memory:", adminToken: String? = nil) throws -> IngestServer {
    var configuration = ServerConfiguration()
    configuration.listen = "127.0.0.1:0"
    configuration.data = folder
    configuration.loops = 1
    configuration.adminToken = adminToken
    return try IngestServer(configuration)
  }
}
