import Base
import Contract
import Engine
import Host
import JSON
package import Oracle
import Queue
import Upload
import Vocabulary
import World

/// Writes the events of some devices as lines of JSON; the selection depends on the seed only.
package final class EventLog: Watcher {
  private let setup: RunSetup
  private let names: [String]
  private let isTold: [Bool]
  private let write: ([UInt8]) -> Void
  private var writer = JSONWriter(capacity: EventLog.pieceBytes + 4_096)
  /// The uuids of the waiting records of the selected devices.
  private var uuids: [Int64: UUID128] = [:]
  private var requests: [RequestKey: MonotonicInstant] = [:]

  private struct RequestKey: Hashable {
    let device: Int
    let id: UInt64
  }

  private static let pieceBytes = 65_536
  /// The time of the next write of a run in real time, about one second after the last.
  private var due = MonotonicInstant(nanoseconds: 0)
  private let interval: Nanoseconds?

  /// Whether an empty line marks the end of the drives.
  private let marksEndOfDrives: Bool

  /// `share` of the devices are selected; `write` receives whole lines, many at once.
  package init(
    _ setup: RunSetup, share: Double, marksEndOfDrives: Bool = false, write: @escaping ([UInt8]) -> Void
  ) {
    self.setup = setup
    self.marksEndOfDrives = marksEndOfDrives
    self.write = write
    names = setup.deviceNames
    interval = setup.outside.map { Nanoseconds(Int64($0.factor * 1e9)) }
    isTold = setup.devicesDrawn(share: share)
  }

  package func see(_ event: SimulationEvent, _ context: EventContext) {
    guard isTold[context.device], let word = event.word else { return }
    writer.beginObject()
    writer.key("seconds")
    writer.value(context.now.monotonic.secondsOfRun)
    writer.field("time", context.now.wall.iso8601Text)
    writer.field("device", names[context.device])
    writer.field("event", word.rawValue)
    writeFields(of: event, context)
    writer.endObject()
    let isDue = interval != nil && context.now.monotonic >= due
    if let interval, isDue { due = context.now.monotonic + interval }
    if isDue || writer.bytes.count >= EventLog.pieceBytes { finish() }
  }

  package func drivesEnded() {
    guard marksEndOfDrives else { return }
    finish()
    write([UInt8(ascii: "\n")])
  }

  /// Writes what is still buffered.
  package func finish() {
    guard !writer.bytes.isEmpty else { return }
    write(writer.bytes + [UInt8(ascii: "\n")])
    writer.removeAll()
  }

  private func writeFields(of event: SimulationEvent, _ context: EventContext) {
    switch event {
    case .network(let network): writer.field("network", setup.radio[network].name)
    case .queue(let note): writeFields(of: note)
    case .sent(let request): writeFields(of: request, context)
    case .served(let request, _, let bytes):
      writer.field("request", Int64(request))
      writer.field("bytes", Int64(bytes))
    case .ended(let request, let outcome): writeFields(of: request, outcome, context)
    case .told(let event): writeFields(of: event)
    case .faultBegan(let fault), .faultEnded(let fault): writer.field("fault", fault.fault)
    default: break
    }
  }

  private func writeFields(of note: QueueNote) {
    switch note {
    case .inserted(_, let row, let uuid, let timestamp, _):
      uuids[row] = uuid
      writer.field("uuid", uuid.text)
      writer.field("timestamp", timestamp.iso8601Text)
    case .deleted(_, let row, _):
      if let uuid = uuids.removeValue(forKey: row) { writer.field("uuid", uuid.text) }
    case .refused: break
    }
  }

  private func writeFields(of request: OutgoingRequest, _ context: EventContext) {
    requests[RequestKey(device: context.device, id: request.id)] = context.now.monotonic
    writer.field("request", Int64(request.id))
    writer.field("purpose", request.purpose.rawValue)
    writer.field("bytes", Int64(request.body.count))
    guard let payload = request.payload else { return }
    writer.field("records", Int64(payload.uuids.count))
    writer.field("trigger", payload.trigger.rawValue)
  }

  private func writeFields(of request: UInt64, _ outcome: RequestOutcome, _ context: EventContext) {
    let sent = requests.removeValue(forKey: RequestKey(device: context.device, id: request))
    writer.field("request", Int64(request))
    switch outcome {
    case .answered(let status, _, body: let body):
      writer.field("status", Int64(status))
      writer.field("bytes", Int64(body.count))
    case .failed(let failure, message: _): writer.field("failure", failure.rawValue)
    }
    if let sent { writer.field("milliseconds", (context.now.monotonic - sent).wholeMilliseconds) }
  }

  private func writeFields(of event: HostEvent) {
    switch event {
    case .engine(.motionChange(let record)):
      writer.key("isMoving")
      writer.value(record.isMoving)
    case .engine(.geofence(_, let geofence)): writer.field("identifier", geofence.identifier)
    case .authorization(let event):
      writer.key("isSuccess")
      writer.value(event.isSuccess)
      writer.field("status", Int64(event.status))
    default: break
    }
  }
}

extension JSONWriter {
  fileprivate mutating func field(_ name: String, _ text: String) {
    key(name)
    value(text)
  }

  fileprivate mutating func field(_ name: String, _ number: Int64) {
    key(name)
    value(number)
  }
}

extension MonotonicInstant {
  /// The seconds since the start of the run.
  fileprivate var secondsOfRun: Double { (self - MonotonicInstant(nanoseconds: 0)).seconds }
}
