import Engine
import Host
import Upload
import Vocabulary

/// A phone that does nothing but remember what it was told.
struct TestPhone {
  /// Sent and not answered yet.
  var waiting: [OutgoingRequest] = []
  var sent: [OutgoingRequest] = []
  var events: [HostEvent] = []
  var entries: [LogEntry] = []
  var demands: [SensorDemand] = []
  var backgroundTasks: [Int] = []
  var logWasDestroyed = false
  /// Where servers want the log.
  var wantedLogs: [String] = []
  var isSampling = false

  mutating func perform(_ effect: HostEffect) {
    switch effect {
    case .demand(let demand):
      demands.append(demand)
      if case .sampling(let accuracy) = demand { isSampling = accuracy != nil }
    case .send(let request):
      waiting.append(request)
      sent.append(request)
    case .deliver(let event): events.append(event)
    case .log(let entry, _): entries.append(entry)
    case .destroyLog: logWasDestroyed = true
    case .uploadLog(let url): wantedLogs.append(url)
    case .backgroundTask(let id, let isStart): backgroundTasks.append(isStart ? id : -id)
    }
  }
}
