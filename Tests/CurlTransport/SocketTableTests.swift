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

  /// libcurl closes the socket pair of its resolver by itself, and its number is that of another file then.
  @Test func aSocketThatTheTableHasNotOpenedIsNotShutDown() throws {
    var table = try SocketTable(idleTime: .seconds(1))
    var pair: [Int32] = [-1, -1]
    #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    table.use(pair[0], 0x001)
    table.release(pair[0], now: MonotonicInstant(nanoseconds: 0))
    let nextDeadline = table.nextDeadline
    #expect(nextDeadline == nil, "it does not count as an unused connection")
    table.expire(MonotonicInstant(nanoseconds: 0) + .seconds(2))
    var byte: UInt8 = 7
    #expect(unsafe write(pair[0], &byte, 1) == 1 && read(pair[1], &byte, 1) == 1)
    table.use(pair[0], 0x001)
    let isAwaited = table.isAwaited(pair[0])
    #expect(isAwaited, "another one of that number is registered anew")
    for socket in pair { close(socket) }
  }
}
