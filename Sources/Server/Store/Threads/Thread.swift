import Glibc

/// A thread of its own for work that blocks: Swift's concurrency has no thread to give away to an fsync.
final class Thread: Sendable {
  private let identifier: pthread_t

  private final class Start {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` at once.
  init(_ body: @escaping @Sendable () -> Void) {
    var created = pthread_t()
    let start = unsafe Unmanaged.passRetained(Start(body))
    let result = unsafe pthread_create(
      &created, nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    precondition(result == 0, "no thread to be had: error \(result)")
    identifier = created
  }

  /// Waits for the end of the body. To be called once, from another thread.
  func join() {
    let result = pthread_join(identifier, nil)
    precondition(result == 0, "joined twice or by itself: error \(result)")
  }
}
