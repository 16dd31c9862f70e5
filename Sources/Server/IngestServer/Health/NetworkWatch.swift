import Network
import Synchronization

/// Lets the sessions look at the loops that drive them, which are made after them. It does not keep the loops alive: they
/// end with their server.
final class NetworkWatch: Sendable {
  private struct Reference {
    weak var loops: LoopGroup<IngestSession>?
  }

  private let reference = Mutex(Reference())

  func watch(_ loops: LoopGroup<IngestSession>) { reference.withLock { $0.loops = loops } }

  var figures: LoopFigures? { reference.withLock { $0.loops }?.figures.reduce(LoopFigures(), +) }
}
