import Base
import Store
import Support
import Synchronization
import Testing
import Threads

@testable import IngestServer

/// The thread that sends to a sink, and what it hands the store.
@Suite struct ForwarderTests {
  /// Takes everything.
  private final class Sink: ForwardSink {
    func send(_ messages: ArraySlice<ForwardMessage>) -> SinkAnswer { SinkAnswer(taken: messages.count) }
    let interrupt: @Sendable () -> Void = {}
  }

  /// Who leads, each time that it is asked: this server, another one, this server again.
  private final class Terms: Sendable {
    let isLost = Semaphore()
    private let asked = Mutex(0)

    func leads() -> Bool {
      let number = asked.withLock { asked in
        asked += 1
        return asked
      }
      if number == 2 { isLost.signal() }
      return number != 2
    }
  }

  @Test func aNoteOfAnEarlierTermIsNotTakenForOneOfTheNext() throws {
    let (folder, board) = (try TemporaryFolder(), ArrivalBoard())
    let store = try SQLiteStore(StoreConfiguration(folder: folder.path), board: board)
    defer { store.close() }
    let record = Array("{}".utf8)
    let now = WallInstant(millisecondsSince1970: 1_795_176_000_000)
    let batch = IngestBatch(
      device: DeviceIdentity(name: "a"), receivedAt: now, bytes: record,
      points: [Point(recordedAt: now.millisecondsSince1970, uuid: UUID128(high: 0, low: 1), record: 0..<record.count)])
    _ = store.apply([.ingest(batch)], now: now)
    let path = folder.path
    let readers = try ReadPool { () throws(StoreError) in try SQLiteReader(folder: path) }
    defer { readers.stop() }
    let (hasNoted, terms) = (Semaphore(), Terms())
    let target = ForwardTarget(
      name: "sink", place: "here", portion: ForwardTarget.Portion(records: 10, bytes: 1_000, age: .zero)
    ) { () throws(SinkError) in Sink() }
    let forwarder = try Forwarder(
      target,
      Forwarder.Dependencies(
        board: board, readers: readers,
        submit: { _ in
          hasNoted.signal()
          return true
        }, notify: { _ in }, leadership: { { terms.leads() } }))
    defer { forwarder.stop() }
    try #require(hasNoted.wait(milliseconds: 60_000) && terms.isLost.wait(milliseconds: 60_000))
    // What became of the note is known when this server does not lead any more.
    forwarder.noted(true)
    try #require(hasNoted.wait(milliseconds: 60_000), "the note of the next term")
    forwarder.noted(false)
    #expect(hasNoted.wait(milliseconds: 10_000), "what the store could not keep is handed to it again")
    forwarder.noted(true)
  }
}
