import Base
import Glibc
import Testing

@testable import CurlTransport

@Suite struct SocketTableTests {
  /// libcurl closes the socket of an attempt to connect that it gives up without a word. On a busy machine another thread has opened
  /// a file under that number before the table is told.
  @Test func aNumberThatIsOfAFileByNowIsForgotten() throws {
    var table = try SocketTable(idleTime: .seconds(1))
    let socket = table.open(family: AF_INET, type: Int32(SOCK_STREAM.rawValue), protocol: 0, device: 0)
    try #require(socket >= 0)
    let writable: UInt32 = 0x004
    table.use(socket, writable)
    let file = unsafe open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
    try #require(file >= 0)
    #expect(dup2(file, socket) == socket)
    table.release(socket, now: MonotonicInstant(nanoseconds: 0))
    let nextDeadline = table.nextDeadline
    #expect(nextDeadline == nil, "it does not count as an unused connection")
    #expect(fcntl(socket, F_GETFD) >= 0, "the file of the other is open")
    close(socket)
    close(file)
  }
}
