import CLinux
import Glibc
import Testing

@Suite struct SocketTests {
  private func isNonblockingAndClosedOnExec(_ descriptor: Int32) -> Bool {
    fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0 && fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0
  }

  /// Calls with the address as the generic type that socket calls want.
  private func withAddress(_ address: inout sockaddr_in, _ call: (UnsafeMutablePointer<sockaddr>) -> Int32) -> Int32 {
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe call($0) }
    }
  }

  @Test func acceptedDescriptorsAreNonblockingAndClosedOnExecAndNameTheirPeer() throws {
    let listener = rr_stream_socket(AF_INET)
    let client = rr_stream_socket(AF_INET)
    defer {
      close(listener)
      close(client)
    }
    #expect(isNonblockingAndClosedOnExec(listener))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    #expect(unsafe withAddress(&address) { unsafe bind(listener, $0, length) } == 0)
    #expect(unsafe withAddress(&address) { unsafe getsockname(listener, $0, &length) } == 0)
    #expect(listen(listener, 4) == 0)

    var peer = sockaddr_storage()
    let early = unsafe rr_accept(listener, &peer)
    let reason = errno
    #expect(early == -1 && reason == EAGAIN)

    let connected = unsafe withAddress(&address) { unsafe connect(client, $0, length) }
    #expect(connected == 0 || errno == EINPROGRESS)
    var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    let ready = unsafe poll(&waiting, 1, 1_000)
    #expect(ready == 1)
    let accepted = unsafe rr_accept(listener, &peer)
    defer { close(accepted) }
    #expect(accepted >= 0 && isNonblockingAndClosedOnExec(accepted))

    var own = sockaddr_in()
    #expect(unsafe withAddress(&own) { unsafe getsockname(client, $0, &length) } == 0)
    let peerPort = unsafe withUnsafeBytes(of: &peer) { unsafe $0.load(as: sockaddr_in.self).sin_port }
    #expect(peerPort == own.sin_port)
  }

  /// In a process of its own: the mask of a thread that runs other tests is not ours to change.
  @Test func aRaisedSignalComesThroughItsDescriptor() async {
    await #expect(processExitsWith: .success) {
      let signals = [SIGTERM, SIGHUP]
      let descriptor = unsafe rr_signalfd(signals, 2)
      #expect(descriptor >= 0)
      #expect(rr_signalfd_read(descriptor) == 0)
      for expected in signals {
        #expect(raise(expected) == 0)
        #expect(rr_signalfd_read(descriptor) == expected)
      }
      #expect(rr_signalfd_read(descriptor) == 0)
      #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }
  }
}
