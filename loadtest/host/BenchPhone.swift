import Engine
import Host
import Upload
import Vocabulary

/// A phone whose requests are answered at once, and which is told everything else in vain.
struct BenchPhone: Platform {
  var waiting: [UInt64] = []
  var isSampling = false
  var bytesSent = 0

  mutating func demand(_ demand: SensorDemand, at now: Moment) {
    if case .sampling(let accuracy) = demand { isSampling = accuracy != nil }
  }

  mutating func send(_ request: OutgoingRequest, at now: Moment) {
    waiting.append(request.id)
    bytesSent += request.body.count
  }

  mutating func cancel(request: UInt64) {}
  mutating func backgroundTask(id: Int, isStart: Bool) {}
  mutating func deliver(_ event: HostEvent, at now: Moment) {}
  mutating func log(_ entry: LogEntry, at now: Moment) {}
  mutating func destroyLog() {}
  mutating func compressedLog() -> [UInt8] { [] }
}
