import Glibc
import Support
import Synchronization
import Testing

@testable import TLS

/// When the files of a server are read again, by a clock that the test turns.
@Suite(.timeLimit(.minutes(10))) struct IdentityTests {
  private let certificates: TestCertificates
  private let clock = Clock()

  private final class Clock: Sendable {
    private let seconds = Mutex(1_000)
    func go(_ count: Int) { seconds.withLock { $0 += count } }
    var now: Int { seconds.withLock { $0 } }
  }

  private final class Notices: Sendable {
    let all = Mutex<[TLSIdentity.Notice]>([])
  }

  private final class Loader: Sendable {
    private let state = Mutex<(failure: TLSError?, count: Int)>((nil, 0))

    var count: Int { state.withLock { $0.count } }
    func fail(_ error: TLSError?) { state.withLock { $0.failure = error } }

    func load(_ files: TLSFiles) throws(TLSError) -> TLSContext {
      let failure = state.withLock { state in
        state.count += 1
        return state.failure
      }
      if let failure { throw failure }
      return try TLSContext(files)
    }
  }

  init() throws { certificates = try TestCertificates() }

  private func identity(
    _ notices: Notices = Notices(),
    days: ClosedRange<Int32> = -1...9,
    load: @escaping @Sendable (TLSFiles) throws(TLSError) -> TLSContext = { (files) throws(TLSError) in
      try TLSContext(files)
    }
  ) throws -> TLSIdentity {
    let files = try certificates.issue("server", days: days)
    return try TLSIdentity(
      TLSFiles(certificate: files.certificate, key: files.key), of: nil, clock: { [clock] in clock.now }, load: load
    ) { notice in notices.all.withLock { $0.append(notice) } }
  }

  @Test(arguments: [(-9 ... -1, TLSIdentity.Notice.expired), (-1...9, nil), (1...9, TLSIdentity.Notice.notYetValid)])
  func aCertificateThatClientsRefuseIsTold(
    days: ClosedRange<Int32>, expected: (@Sendable (String) -> TLSIdentity.Notice)?
  ) throws {
    let notices = Notices()
    _ = try identity(notices, days: days)
    #expect(notices.all.withLock { $0 } == (expected.map { [$0(certificates.folder.file("server.pem"))] } ?? []))
  }

  @Test func theKeyOfTicketsIsMadeAnewOnceADay() throws {
    let notices = Notices()
    let identity = try identity(notices)
    var wishes = TestClient.Wishes(authority: certificates.authority)
    var areResumed: [Bool] = []
    for seconds in [0, 86_399, 1] {
      clock.go(seconds)
      let pair = try ChannelPair(identity, wishes)
      areResumed.append(pair.client.isResumed)
      pair.receive()
      _ = try pair.client.read()
      wishes.session = pair.client.session
      // OpenSSL gives up the session of a connection that has no end.
      pair.client.endOutput()
    }
    #expect(areResumed == [false, true, false])
    #expect(notices.all.withLock { $0 } == [], "nothing has changed that a person has to know")
  }

  /// As when the process has no descriptor left at that moment.
  @Test func aFailureIsTriedAgainAfterAMinuteAndSaidOnce() throws {
    let (notices, loader) = (Notices(), Loader())
    let identity = try identity(notices) { (files) throws(TLSError) in try loader.load(files) }
    loader.fail(TLSError("descriptors have run out"))
    clock.go(86_400)
    for seconds in [0, 59, 1, 60] {
      clock.go(seconds)
      _ = identity.channel(over: 0)
    }
    #expect(loader.count == 4, "at the start, after a day and after each minute")
    loader.fail(nil)
    clock.go(60)
    _ = identity.channel(over: 0)
    let said = notices.all.withLock { $0 }
    #expect(said == [.notRenewed(TLSError("descriptors have run out")), .renewed])
  }

  /// The time of writing is what a copy with `cp -p` brings along.
  @Test func aChangeIsSeenThoughItsTimeIsSetBack() throws {
    let notices = Notices()
    let identity = try identity(notices)
    let path = certificates.folder.file("server.pem")
    let good = try certificates.folder.read("server.pem")
    var status = stat()
    try #require(unsafe stat(path, &status) == 0)
    for bytes in [[UInt8](repeating: 0x78, count: good.count), good] {
      try certificates.folder.write(bytes, to: "server.pem")
      var times = [status.st_atim, status.st_mtim]
      try #require(unsafe utimensat(AT_FDCWD, path, &times, 0) == 0)
      _ = identity.channel(over: 0)
    }
    let said = notices.all.withLock { $0 }
    #expect(said.count == 2 && said.last == .renewed, "\(said)")
  }
}
