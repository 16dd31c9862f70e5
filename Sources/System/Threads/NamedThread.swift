internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread of the operating system, for work that blocks: Swift's concurrency has no threads to spare. Its name is shown by
/// `top -H` and debuggers. It must be joined or detached, once.
@safe
package struct NamedThread: Sendable {
  /// The system cannot create more threads.
  package struct Exhaustion: Error, Equatable, CustomStringConvertible {
    /// An errno.
    package let code: Int32
    package var description: String { "cannot create a thread: error \(code)" }
  }

  private let handle: pthread_t

  /// Runs `body` at once. `name` has at most 15 bytes (pthread_setname_np(3)).
  package init(name: String, _ body: @escaping @Sendable () -> Void) throws(Exhaustion) {
    precondition(name.utf8.count <= 15, "the kernel keeps 15 bytes of a thread's name")
    let work = unsafe Unmanaged.passRetained(Work(name: name, body: body))
    var handle = pthread_t()
    let code = unsafe pthread_create(&handle, nil, { unsafe runWork($0) }, work.toOpaque())
    guard code == 0 else {
      unsafe work.release()
      throw Exhaustion(code: code)
    }
    self.handle = handle
  }

  /// Starts a thread for callers that cannot continue without it.
  package static func started(_ name: String, _ body: @escaping @Sendable () -> Void) -> NamedThread {
    do throws(Exhaustion) { return try NamedThread(name: name, body) } catch { preconditionFailure("\(error)") }
  }

  /// Starts a thread that opens a resource and uses it; returns when the resource is open. When `open` throws, the thread has
  /// ended and its error is thrown here.
  package static func opening<Resource, Failure: Error>(
    _ name: String, _ open: @escaping @Sendable () throws(Failure) -> Resource,
    run: @escaping @Sendable (Resource) -> Void
  ) throws(Failure) -> NamedThread {
    let opened = Semaphore()
    let failure = FailureBox<Failure>()
    let thread = NamedThread.started(name) {
      let resource: Resource
      do throws(Failure) {
        resource = try open()
      } catch {
        failure.error.withLock { $0 = error }
        opened.signal()
        return
      }
      opened.signal()
      run(resource)
    }
    opened.wait()
    if let error = failure.error.withLock({ $0 }) {
      thread.join()
      throw error
    }
    return thread
  }

  /// Whether it is the calling thread.
  package var isCurrent: Bool { pthread_equal(pthread_self(), handle) != 0 }

  /// Waits for the end of the body.
  package func join() {
    let code = pthread_join(handle, nil)
    precondition(code == 0, "a thread is joined once, and not by itself: error \(code)")
  }

  /// Lets the thread end by itself, or with the process, instead of joining it.
  package func detach() {
    let code = pthread_detach(handle)
    precondition(code == 0, "a thread is let go once: error \(code)")
  }
}

private final class FailureBox<Failure: Error>: Sendable {
  let error = Mutex<Failure?>(nil)
}

private final class Work {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

private func runWork(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument = unsafe argument else { return nil }
  let work = unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
  let code = unsafe rr_name_this_thread(work.name)
  precondition(code == 0, "a name of 15 bytes is always taken")
  work.body()
  return nil
}
