import Base
import Contract
import Engine
import Host
import JSON
import Queue
import Upload
import Vocabulary
import World

/// Tells what happens to some devices as lines of JSON: which are told of follows from the seed alone.
package final class EventLog: Watcher {
  private let setup: RunSetup
  private let names: [String]
  private let isTold: [Bool]
  private let write: ([UInt8]) -> Void
  private var writer = JSONWriter(capacity: EventLog.pieceBytes + 4_096)
  /// Of the records that wait in the devices that are told of.
  private var uuids: [Int64: UUID128] = [:]
  private var requests: [UInt64: MonotonicInstant] = [:]

  private static let pieceBytes = 65_536
  /// What is told of a run by the machine's clock is handed over about once a second of it.
  private var due = MonotonicInstant(nanoseconds: 0)
  private let interval: Nanoseconds?

  /// `share` of the devices are told of; `write` gets whole lines, many at once.
  package init(_ setup: RunSetup, share: Double, write: @escaping ([UInt8]) -> Void) {
    self.setup = setup
    self.write = write
    names = setup.deviceNames
    interval = setup.outside.map { Nanoseconds(Int64($0.factor * 1e9)) }
    isTold = setup.fleets.flatMap { fleet in
      fleet.simulated.map { index in
        let lot = TraceHash.mix(setup.seed ^ TraceHash.mix(fleet.key(of: index)))
        return Double(lot >> 11) / Double(1 << 53) < share
      }
    }
  }

  package func see(_ happening: Happening, _ sighting: Sighting) {
    guard isTold[sighting.device] else { return }
    switch happening {
    case .launched: line("launched", sighting) { _ in }
    case .killed(let isReboot): line(isReboot ? "rebooted" : "killed", sighting) { _ in }
    case .network(let network): line("network", sighting) { $0.field("network", setup.radio[network].name) }
    case .queue(let note): tell(note, sighting)
    case .sent(let request): depart(request, sighting)
    case .served(let request, let bytes):
      line("served", sighting) { writer in
        writer.field("request", Int64(request))
        writer.field("bytes", Int64(bytes))
      }
    case .ended(let request, let outcome): arrive(request, outcome, sighting)
    case .told(let event): tell(event, sighting)
    case .faultBegan(let fault): line("fault-began", sighting) { $0.field("fault", fault.fault) }
    case .faultEnded(let fault): line("fault-ended", sighting) { $0.field("fault", fault.fault) }
    case .healed: line("healed", sighting) { _ in }
    default: break
    }
  }

  /// Hands over what was not yet.
  package func finish() {
    guard !writer.bytes.isEmpty else { return }
    write(writer.bytes + [UInt8(ascii: "\n")])
    writer.removeAll()
  }

  private func line(_ event: String, _ sighting: Sighting, _ more: (inout JSONWriter) -> Void) {
    writer.beginObject()
    writer.key("seconds")
    writer.value(sighting.now.monotonic.secondsOfRun)
    writer.field("time", sighting.now.wall.iso8601Text)
    writer.field("device", names[sighting.device])
    writer.field("event", event)
    more(&writer)
    writer.endObject()
    let isDue = interval != nil && sighting.now.monotonic >= due
    if let interval, isDue { due = sighting.now.monotonic + interval }
    if isDue || writer.bytes.count >= EventLog.pieceBytes { finish() }
  }

  private func tell(_ note: QueueNote, _ sighting: Sighting) {
    switch note {
    case .inserted(_, let row, let uuid, let timestamp, _):
      uuids[row] = uuid
      line("created", sighting) { writer in
        writer.field("uuid", uuid.text)
        writer.field("timestamp", timestamp.iso8601Text)
      }
    case .deleted(_, let row, let cause):
      let uuid = uuids.removeValue(forKey: row)
      let words =
        switch cause {
        case .upload: "delivered"
        case .order: "destroyed"
        case .age: "expired"
        case .room: "evicted"
        }
      line(words, sighting) { writer in if let uuid { writer.field("uuid", uuid.text) } }
    case .refused: line("write-refused", sighting) { _ in }
    }
  }

  private func key(_ request: UInt64, _ sighting: Sighting) -> UInt64 { UInt64(sighting.device) << 40 | request }

  private func depart(_ request: OutgoingRequest, _ sighting: Sighting) {
    requests[key(request.id, sighting)] = sighting.now.monotonic
    line("sent", sighting) { writer in
      writer.field("request", Int64(request.id))
      writer.field("purpose", request.purpose.rawValue)
      writer.field("bytes", Int64(request.body.count))
      guard let cargo = request.cargo else { return }
      writer.field("records", Int64(cargo.uuids.count))
      writer.field("trigger", cargo.trigger.rawValue)
    }
  }

  private func arrive(_ request: UInt64, _ outcome: RequestOutcome, _ sighting: Sighting) {
    let sent = requests.removeValue(forKey: key(request, sighting))
    line("answered", sighting) { writer in
      writer.field("request", Int64(request))
      switch outcome {
      case .answered(let status, _, body: let body):
        writer.field("status", Int64(status))
        writer.field("bytes", Int64(body.count))
      case .failed(let failure, message: _): writer.field("failure", failure.rawValue)
      }
      if let sent { writer.field("milliseconds", (sighting.now.monotonic - sent).wholeMilliseconds) }
    }
  }

  private func tell(_ event: HostEvent, _ sighting: Sighting) {
    switch event {
    case .engine(.motionChange(let record)):
      line("motion", sighting) { writer in
        writer.key("isMoving")
        writer.value(record.isMoving)
      }
    case .engine(.geofence(_, let geofence)): line("geofence", sighting) { $0.field("identifier", geofence.identifier) }
    case .authorization(let event):
      line("authorization", sighting) { writer in
        writer.key("isSuccess")
        writer.value(event.isSuccess)
        writer.field("status", Int64(event.status))
      }
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
  /// Since the beginning of the run.
  fileprivate var secondsOfRun: Double { (self - MonotonicInstant(nanoseconds: 0)).seconds }
}
