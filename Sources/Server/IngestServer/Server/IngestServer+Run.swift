import Base
import Network

extension IngestServer {
  /// Serves until SIGTERM or SIGINT; the second signal stops at once. `isReady` gets the URL when clients can connect.
  ///
  /// To be called from the main thread before any other thread is started: a thread that does not block the signals would
  /// still die of them.
  public static func run(_ configuration: ServerConfiguration, isReady: (String) -> Void) throws(ServerError) {
    try run(configuration, notify: { _ in }, isReady: isReady)
  }

  /// `notify` hears what the operator of the server has to know.
  package static func run(
    _ configuration: ServerConfiguration, notify: @escaping @Sendable (ServerNotice) -> Void, isReady: (String) -> Void
  ) throws(ServerError) {
    let signals: SignalWatcher
    do throws(NetworkError) { signals = try SignalWatcher.forEnding() } catch { throw ServerError(error) }
    let server = try IngestServer(configuration, notify: notify)
    isReady(server.url)
    server.serve(until: signals)
  }
}
