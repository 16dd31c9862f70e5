package import Base
package import Network
import Synchronization

/// Lets others read the figures of a run while it goes on: `GET /metrics`, for Prometheus and whatever reads its text.
package final class MetricsListener: Sendable {
  private let page = MetricsPage()
  private let loops: LoopGroup<MetricsSession>
  private let clock = SystemClock()
  private let shownAt = Mutex<MonotonicInstant?>(nil)

  private let renewal: Nanoseconds

  /// Listens at `127.0.0.1:9464` or the like; port 0 lets the kernel choose. Nobody scrapes more often than once a second.
  package init(listen: String, renewal: Nanoseconds = .seconds(1)) throws(NetworkError) {
    self.renewal = renewal
    loops = try LoopGroup(NetworkConfiguration(), on: ListenAddress(parsing: listen)) { [page] _, _ in
      { _ in MetricsSession(page) }
    }
  }

  package var url: String { "http://\(loops.address)/metrics" }
  package var port: UInt16 { loops.address.port }

  /// To be called now and then by the thread of the run.
  package func show(_ measures: Measures) {
    let now = clock.monotonicNow
    let isDue = shownAt.withLock { last in
      if let last, now - last < renewal { return false }
      last = now
      return true
    }
    if isDue { page.show(measures.exposition) }
  }

  package func stop() {
    loops.drain(within: .seconds(1))
    loops.wait()
  }
}

/// What is shown just now; the run writes, the listener reads.
final class MetricsPage: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  func show(_ page: [UInt8]) { bytes.withLock { $0 = page } }
  var text: [UInt8] { bytes.withLock { $0 } }
}
