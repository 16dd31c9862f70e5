internal import CLinux
internal import Glibc

/// A thread of the operating system, with a name that `top -H` and a debugger show. It must be joined.
@safe
struct NamedThread {
  private let handle: pthread_t

  /// `name` has at most 15 bytes (pthread_setname_np(3)).
  init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    precondition(name.utf8.count <= 15, "the kernel keeps 15 bytes of a thread's name")
    let work = unsafe Unmanaged.passRetained(Work(name: name, body: body))
    var handle = pthread_t()
    let code = unsafe pthread_create(&handle, nil, { unsafe runWork($0) }, work.toOpaque())
    guard code == 0 else {
      unsafe work.release()
      throw SystemError(call: "pthread_create", code: code)
    }
    self.handle = handle
  }

  /// Waits for the end of the thread; once.
  func join() {
    let code = pthread_join(handle, nil)
    precondition(code == 0, "a thread is joined once, and not by itself")
  }
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
