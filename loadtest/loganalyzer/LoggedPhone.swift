import Base
import DeviceLog
import Engine
import Host
import Upload
import Vocabulary

/// A phone that writes the device's log into memory, and counts what the log is held against.
struct LoggedPhone {
  var waiting: [OutgoingRequest] = []
  var isSampling = false
  var stationaryRegion: Circle?
  var log: [UInt8] = []
  /// Records that left the queue without an upload.
  private(set) var discardedCount = 0
  private(set) var destroyedByApp = 0
  private let text: LogText

  init(_ text: LogText) { self.text = text }

  mutating func perform(_ effect: HostEffect) {
    switch effect {
    case .demand(.sampling(let accuracy)): isSampling = accuracy != nil
    case .demand(.stationaryRegion(let circle)): stationaryRegion = circle
    case .send(let request): waiting.append(request)
    case .deliver(.discarded(let uuids, let reason)):
      discardedCount += uuids.count
      if reason == .destroyed { destroyedByApp += uuids.count }
    case .log(let entry, let wall): text.append(entry, at: wall, to: &log)
    case .destroyLog: log = []
    case .demand, .deliver, .uploadLog, .backgroundTask: break
    }
  }
}
