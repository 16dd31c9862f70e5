import Base
import Contract
import HTTP1
import Host
import Queue
import Vocabulary
import World

/// What the devices of a run share: the city, the server, the database of their queues, the book, the trace.
final class Site {
  let setup: RunSetup
  let clock: DayClock
  let server: VirtualServer
  let database: QueueDatabase
  let ledger: Ledger
  let faults: FaultPlan
  let scratch = HostScratch()
  var head = ResponseHead()
  var trace: Trace
  private let watchers: [any Watcher]

  init(
    _ setup: RunSetup, server: VirtualServer, database: QueueDatabase, names: [String], recording: Range<Int>?,
    watchers: [any Watcher]
  ) {
    self.setup = setup
    self.watchers = watchers
    self.server = server
    self.database = database
    database.notes = []
    ledger = Ledger(names: names)
    faults = FaultPlan(of: setup)
    trace = Trace(devices: names.count, recording: recording)
    let milliseconds = setup.start.millisecondsSince1970 + Int64(setup.zoneOffsetSeconds) * 1_000
    let day = milliseconds.quotientRoundedDown(by: 86_400_000)
    // 1 January 1970 was a Thursday; 1 is Sunday.
    let weekday = Int(((day + 4) % 7 + 7) % 7) + 1
    clock = DayClock(secondsAfterMidnight: Double(milliseconds - day * 86_400_000) / 1_000, firstWeekday: weekday)
  }

  func tell(_ happening: @autoclosure () -> Happening, _ sighting: @autoclosure () -> Sighting) {
    guard !watchers.isEmpty else { return }
    let (happening, sighting) = (happening(), sighting())
    for watcher in watchers { watcher.see(happening, sighting) }
  }

  /// The book of what the queues did while this device worked.
  func balance(_ sighting: Sighting, queued: Int) {
    guard let notes = database.notes, !notes.isEmpty else { return }
    ledger.note(notes, at: sighting.now.monotonic)
    for note in notes { tell(.queue(note), sighting) }
    database.notes?.removeAll(keepingCapacity: true)
    ledger.compare(sighting.device, queued: queued, at: sighting.now.monotonic)
  }
}

extension Int64 {
  fileprivate func quotientRoundedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
