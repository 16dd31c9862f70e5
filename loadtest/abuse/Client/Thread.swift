import Glibc

/// A thread of the operating system for one loop of clients.
@safe
struct Thread {
  private let handle: pthread_t

  init(_ body: @escaping @Sendable () -> Void) throws(Trouble) {
    let work = unsafe Unmanaged.passRetained(Work(body))
    var handle = pthread_t()
    let code = unsafe pthread_create(
      &handle, nil,
      { argument in
        if let argument = unsafe argument { unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, work.toOpaque())
    guard code == 0 else { throw Trouble("pthread_create", code) }
    self.handle = handle
  }

  func join() { _ = pthread_join(handle, nil) }

  private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
