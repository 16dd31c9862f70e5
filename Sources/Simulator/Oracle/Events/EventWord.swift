import Base
import Contract
import Engine
import Host
import Queue
import Upload
import Vocabulary
import World

/// The names of a run's events. The event log, the transcript of a failure and the history of a record use the same ones.
package enum EventWord: String, Sendable {
  case launched, killed, rebooted, network
  case created, delivered, destroyed, expired, evicted
  case writeRefused = "write-refused"
  case sent, served, answered
  case faultBegan = "fault-began"
  case faultEnded = "fault-ended"
  case healed
  case motion, geofence, authorization
}

extension SimulationEvent {
  /// The name; nil for events that no output mentions.
  package var word: EventWord? {
    switch self {
    case .launched: .launched
    case .killed(let isReboot): isReboot ? .rebooted : .killed
    case .network: .network
    case .queue(.inserted): .created
    case .queue(.deleted(_, _, let cause)):
      switch cause {
      case .upload: .delivered
      case .destruction: .destroyed
      case .age: .expired
      case .room: .evicted
      }
    case .queue(.refused): .writeRefused
    case .sent: .sent
    case .served: .served
    case .ended: .answered
    case .faultBegan: .faultBegan
    case .faultEnded: .faultEnded
    case .healed: .healed
    case .told(.engine(.motionChange)): .motion
    case .told(.engine(.geofence)): .geofence
    case .told(.authorization): .authorization
    default: nil
    }
  }

  /// Returns the rest of the sentence that begins with the word, on a network of this name; may be empty.
  package func detail(on network: String) -> String {
    switch self {
    case .launched(let launch):
      launch.didReboot ? "after a reboot" : launch.isInBackground ? "in the background" : "by the user"
    case .network: network
    case .queue(.inserted(_, let row, let uuid, _, _)): "record \(uuid.text) in row \(row), on \(network)"
    case .queue(.deleted(_, let row, _)): "row \(row)"
    case .queue(.refused(_, let step)): "\(step)"
    case .sent(let request): request.detail + ", on \(network)"
    case .served(let request, _, let bytes): "request \(request), with an answer of \(bytes) bytes"
    case .ended(let request, .answered(let status, _, let body)):
      "request \(request), with \(status): \(String(decoding: body.prefix(200), as: UTF8.self))"
    case .ended(let request, .failed(let failure, _)): "request \(request): none, \(failure.rawValue)"
    case .faultBegan(let fault), .faultEnded(let fault): "\(fault.fault) (\(fault.ordinal))"
    case .told(.engine(.motionChange(let record))): record.isMoving ? "moving" : "stationary"
    case .told(.engine(.geofence(_, let geofence))): geofence.identifier
    case .told(.authorization(let event)): "\(event.isSuccess ? "succeeded" : "failed") with \(event.status)"
    default: ""
    }
  }
}

extension OutgoingRequest {
  fileprivate var detail: String {
    let what = "request \(id): \(method) \(purpose), \(body.count) bytes"
    guard let payload, let first = payload.uuids.first else { return what }
    let more = payload.uuids.count > 1 ? " and \(payload.uuids.count - 1) more" : ""
    return "\(what), record \(first.text)\(more), \(payload.trigger.rawValue)"
  }
}
