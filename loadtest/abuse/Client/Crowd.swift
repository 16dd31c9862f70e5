import Base
import Threads

/// A thread of clients that can be ended.
struct Crowd {
  private let stop = StopSign()
  private let thread: NamedThread

  /// `connections` uploaders in step with each other, each one every `period`, or without rest.
  init(
    uploaders connections: Int, every period: Nanoseconds?, records: Int = 1, port: UInt16, salt: UInt32,
    _ tally: TallyBox
  ) throws(Trouble) {
    thread = NamedThread.started("crowd") { [stop] in
      let start = SystemClock().monotonicNow
      let clients = (0..<connections).map { client in
        Uploader(port: port, UploadRequest(client: client, salt: salt, records: records), every: period, tally)
      }
      let step = Nanoseconds((period?.count ?? 0) / Int64(connections))
      ClientLoop().run(clients, from: { start + step * Int64($0) }, until: stop)
    }
  }

  /// All of them open within a second; nobody comes back after `end`.
  init(_ habits: [Habit], until end: MonotonicInstant, port: UInt16, _ box: AbuseBox) throws(Trouble) {
    thread = NamedThread.started("crowd") { [stop] in
      let start = SystemClock().monotonicNow
      let clients = habits.flatMap { habit in
        (0..<habit.connections).map { _ in Abuser(port: port, habit, until: end, box) }
      }
      let step = Nanoseconds(1_000_000_000 / Int64(clients.count))
      ClientLoop().run(clients, from: { start + step * Int64($0) }, until: stop)
    }
  }

  func end() {
    stop.set()
    thread.join()
  }
}
