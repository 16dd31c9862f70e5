import CLinux
import Glibc
import Testing

@Suite struct EpollTests {
  private func wait(_ epoll: Int32, milliseconds: Int32 = 0) -> [rr_epoll_event] {
    var events = [rr_epoll_event](repeating: rr_epoll_event(), count: 8)
    let count = unsafe rr_epoll_wait(epoll, &events, Int32(events.count), milliseconds)
    #expect(count >= 0)
    return Array(events.prefix(Int(count)))
  }

  private func withDescriptors(_ body: (_ epoll: Int32, _ event: Int32) throws -> Void) throws {
    let epoll = rr_epoll_create()
    let event = rr_eventfd()
    defer {
      close(epoll)
      close(event)
    }
    try #require(epoll >= 0 && event >= 0)
    try body(epoll, event)
  }

  private func wake(_ event: Int32) {
    var one: UInt64 = 1
    let written = unsafe write(event, &one, 8)
    #expect(written == 8)
  }

  @Test(arguments: [0, 1, 0xFFFF_FFFF, 0x1234_5678_9ABC_DEF0, .max] as [UInt64])
  func theWholeTokenComesBackWithTheEvent(token: UInt64) throws {
    try withDescriptors { epoll, event in
      #expect(rr_epoll_add(epoll, event, EPOLLIN.rawValue, token) == 0)
      #expect(wait(epoll).isEmpty)
      wake(event)
      let events = wait(epoll, milliseconds: 1_000)
      #expect(events.map(\.token) == [token])
      #expect(events.map(\.events) == [EPOLLIN.rawValue])
    }
  }

  @Test func modifyingReplacesInterestAndToken() throws {
    try withDescriptors { epoll, event in
      #expect(rr_epoll_add(epoll, event, EPOLLIN.rawValue, 1) == 0)
      #expect(rr_epoll_modify(epoll, event, EPOLLIN.rawValue | EPOLLOUT.rawValue, 2) == 0)
      let events = wait(epoll)
      #expect(events.map(\.token) == [2])
      #expect(events.map(\.events) == [EPOLLOUT.rawValue])
    }
  }

  @Test func removingEndsTheInterest() throws {
    try withDescriptors { epoll, event in
      #expect(rr_epoll_add(epoll, event, EPOLLOUT.rawValue, 1) == 0)
      #expect(wait(epoll).count == 1)
      #expect(rr_epoll_remove(epoll, event) == 0)
      #expect(wait(epoll).isEmpty)
      #expect(rr_epoll_remove(epoll, event) == -1 && errno == ENOENT)
    }
  }

  @Test func anEdgeIsReportedOnce() throws {
    try withDescriptors { epoll, event in
      #expect(rr_epoll_add(epoll, event, EPOLLIN.rawValue | EPOLLET.rawValue, 1) == 0)
      wake(event)
      #expect(wait(epoll).count == 1)
      #expect(wait(epoll).isEmpty)
      wake(event)
      #expect(wait(epoll).count == 1)
    }
  }

  @Test func givesNoMoreEventsThanThereIsRoomFor() throws {
    try withDescriptors { epoll, _ in
      let descriptors = (0..<12).map { _ in rr_eventfd() }
      defer { for descriptor in descriptors { close(descriptor) } }
      for (index, descriptor) in descriptors.enumerated() {
        #expect(rr_epoll_add(epoll, descriptor, EPOLLOUT.rawValue, UInt64(index)) == 0)
      }
      #expect(wait(epoll).count == 8)
    }
  }

  @Test func anEventCounterAddsUpAndDoesNotBlock() throws {
    let event = rr_eventfd()
    defer { close(event) }
    var value: UInt64 = 0
    let early = unsafe read(event, &value, 8)
    let reason = errno
    #expect(early == -1 && reason == EAGAIN)
    for _ in 0..<3 { wake(event) }
    let read = unsafe read(event, &value, 8)
    #expect(read == 8 && value == 3)
    #expect(fcntl(event, F_GETFD) & FD_CLOEXEC != 0)
  }
}
