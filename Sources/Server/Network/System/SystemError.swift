internal import Glibc

/// A system call that failed with an errno which a correct program can meet.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name of the call, as in its manual page.
  package let call: String
  package let code: Int32

  package init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  package var description: String { "\(call): \(Syscalls.text(of: code)) (errno \(code))" }

  /// Descriptors or kernel memory have run out: worth trying again when others have let go of theirs.
  var isExhaustion: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) }
  var isWouldBlock: Bool { code == EAGAIN }
  /// The peer is gone and said so with an RST.
  var isReset: Bool { code == ECONNRESET || code == EPIPE }
}
