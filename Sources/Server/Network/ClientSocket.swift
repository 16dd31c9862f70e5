package import Base
internal import CLinux
internal import Glibc

/// A TCP connection from this side, for callers that decide byte by byte what is sent and when. Every call that waits ends
/// by its deadline.
package struct ClientSocket: ~Copyable {
  /// What came, or why nothing did.
  package enum Arrival: Equatable, Sendable {
    case bytes([UInt8])
    /// The peer has ended its output.
    case end
    /// The peer has broken the connection off.
    case reset
    case timeout
  }

  private let descriptor: FileDescriptor
  private var buffer: [UInt8] = []
  private static let pieceBytes = 65_536

  package init(to address: SocketAddress, by deadline: MonotonicInstant) throws(SystemError) {
    let socket = try Syscalls.streamSocket(address.family)
    try Syscalls.set(TCP_NODELAY, level: Int32(IPPROTO_TCP), to: 1, on: socket)
    try Syscalls.connect(socket, to: address)
    guard Syscalls.waitWritable(socket, by: deadline) else { throw SystemError(call: "connect", code: ETIMEDOUT) }
    let code = Syscalls.pendingError(of: socket)
    if code != 0 { throw SystemError(call: "connect", code: code) }
    descriptor = socket
  }

  /// False when the peer takes no more, or not by the deadline.
  package func send(_ bytes: [UInt8], by deadline: MonotonicInstant) -> Bool {
    var sent = 0
    while sent < bytes.count {
      do throws(SystemError) {
        sent += try Syscalls.send(descriptor.number, unsafe bytes.span.extracting(sent...).bytes)
      } catch {
        guard error.isWouldBlock, Syscalls.waitWritable(descriptor, by: deadline) else { return false }
      }
    }
    return true
  }

  /// The next piece of what the peer sends.
  package mutating func receive(by deadline: MonotonicInstant) -> Arrival {
    if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: ClientSocket.pieceBytes) }
    while true {
      do throws(SystemError) {
        let count = try Syscalls.receive(descriptor.number, into: &buffer, atMost: buffer.count)
        return count == 0 ? .end : .bytes(Array(buffer[..<count]))
      } catch {
        guard error.isWouldBlock else { return .reset }
        guard Syscalls.waitReadable(descriptor, by: deadline) else { return .timeout }
      }
    }
  }

  /// Nothing more is sent; what comes can still be received.
  package func endOutput() { Syscalls.shutdownOutput(descriptor.number) }

  /// The end of this value breaks the connection off, instead of closing it.
  package func resetAtTheEnd() { Syscalls.resetOnClose(descriptor.number) }
}

extension SocketAddress {
  /// The first address of a host's name, or of a number.
  package static func resolving(_ host: String, port: UInt16) -> SocketAddress? {
    if let number = SocketAddress.host(parsing: host) { return SocketAddress(host: number, port: port) }
    return Syscalls.firstAddress(of: host)?.with(port: port)
  }
}
