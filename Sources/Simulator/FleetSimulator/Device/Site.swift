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
  let city: City
  let clock: DayClock
  let server: VirtualServer
  let database: QueueDatabase
  let ledger: Ledger
  let scratch = HostScratch()
  var head = ResponseHead()
  var trace: Trace
  let receiverModel: GPSModel = .inVehicle

  init(_ setup: RunSetup, server: VirtualServer, database: QueueDatabase, names: [String], recording: Range<Int>?) {
    self.setup = setup
    self.server = server
    self.database = database
    database.notes = []
    ledger = Ledger(names: names)
    trace = Trace(devices: names.count, recording: recording)
    guard let center = Coordinate(latitude: 48.137, longitude: 11.575) else {
      preconditionFailure("the centre of the city is a place")
    }
    city = City(seed: setup.seed, center: center, columns: 96, rows: 96)
    let milliseconds = setup.start.millisecondsSince1970
    let day = milliseconds.quotientRoundedDown(by: 86_400_000)
    // 1 January 1970 was a Thursday; 1 is Sunday.
    let weekday = Int(((day + 4) % 7 + 7) % 7) + 1
    clock = DayClock(secondsAfterMidnight: Double(milliseconds - day * 86_400_000) / 1_000, firstWeekday: weekday)
  }

  /// The book of what the queues did while this device worked.
  func balance(_ device: Int, queued: Int, at instant: MonotonicInstant) {
    guard let notes = database.notes, !notes.isEmpty else { return }
    ledger.note(notes, at: instant)
    database.notes?.removeAll(keepingCapacity: true)
    ledger.compare(device, queued: queued, at: instant)
  }
}

extension Int64 {
  fileprivate func quotientRoundedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
