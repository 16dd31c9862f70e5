import IngestServer
import ServerSupport

enum LocalServer {
  /// A server within this process, at a port that was free.
  static func start(in folder: String = ":memory:", adminToken: String? = nil) throws -> IngestServer {
    var configuration = ServerConfiguration.loopback(data: folder, loops: 1)
    configuration.adminToken = adminToken
    return try IngestServer(configuration)
  }
}
