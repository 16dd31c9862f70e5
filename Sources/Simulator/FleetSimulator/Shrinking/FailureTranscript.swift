package import Base
import Contract
import Engine
import Host
import JSON
import Queue
import Upload
import Vocabulary

/// Writes down what happens to one device, or to all, until a moment of the run.
package final class FailureTranscript: Watcher {
  /// One thing that happened.
  package struct Line: Equatable, Sendable {
    package let instant: MonotonicInstant
    package let device: String
    /// A word: `sent`.
    package let event: String
    /// The rest of the sentence; may be empty.
    package let detail: String
  }

  package private(set) var lines: [Line] = []
  /// How many there were before them: of a long story the end matters.
  package private(set) var forgotten = 0
  private let names: [String]
  private let device: String?
  private let until: MonotonicInstant?

  private static let linesMax = 100_000

  package init(_ setup: RunSetup, of device: String? = nil, until: MonotonicInstant? = nil) {
    names = setup.fleets.flatMap { fleet in fleet.simulated.map { "\(fleet.name)-\($0)" } }
    self.device = device
    self.until = until
  }

  package func see(_ event: SimulationEvent, _ context: EventContext) {
    let instant = context.now.monotonic
    if let until, instant > until { return }
    guard device == nil || names[context.device] == device, let (event, detail) = event.words else { return }
    lines.append(Line(instant: instant, device: names[context.device], event: event, detail: detail))
    if lines.count == 2 * FailureTranscript.linesMax {
      lines.removeFirst(FailureTranscript.linesMax)
      forgotten += FailureTranscript.linesMax
    }
  }

  /// One line of text each, for people; of one device, or all.
  package func text(of device: String? = nil) -> String {
    var text = lines.filter { device == nil || $0.device == device }.map {
      "\($0.instant.clockText)  \($0.device)  \($0.event)\($0.detail.isEmpty ? "" : " ")\($0.detail)"
    }
    if forgotten > 0 { text.insert("… after \(forgotten) lines", at: 0) }
    return text.joined(separator: "\n")
  }

  /// One JSON object a line.
  package var journal: String {
    var writer = JSONWriter(capacity: 1_024)
    var text = ""
    for line in lines {
      JSONValue.object([
        "at": .string(line.instant.clockText), "device": .string(line.device), "event": .string(line.event),
        "detail": .string(line.detail),
      ]).write(to: &writer)
      text += String(decoding: writer.bytes, as: UTF8.self) + "\n"
      writer = JSONWriter(capacity: 1_024)
    }
    return text
  }
}

extension SimulationEvent {
  /// Nil for what is no part of a story.
  fileprivate var words: (event: String, detail: String)? {
    switch self {
    case .launched(let launch):
      ("launched", launch.didReboot ? "after a reboot" : launch.isInBackground ? "in the background" : "by its owner")
    case .killed(let isReboot): ("killed", isReboot ? "by a reboot" : "by its owner")
    case .network(let network): ("network", "\(network)")
    case .queue(let note): note.words
    case .sent(let request):
      (
        "sent",
        "request \(request.id): \(request.method) \(request.purpose), \(request.body.count) bytes\(request.contents)"
      )
    case .served(let request, let bytes): ("served", "request \(request): \(bytes) bytes of an answer")
    case .ended(let request, .answered(let status, _, let body)):
      ("ended", "request \(request): status \(status) \(String(decoding: body.prefix(200), as: UTF8.self))")
    case .ended(let request, .failed(let failure, _)): ("ended", "request \(request): \(failure.rawValue)")
    case .faultBegan(let fault): ("fault", "\(fault.fault) begins (\(fault.ordinal))")
    case .faultEnded(let fault): ("fault", "\(fault.fault) is over (\(fault.ordinal))")
    case .healed: ("healed", "")
    default: nil
    }
  }
}

extension QueueNote {
  fileprivate var words: (event: String, detail: String) {
    switch self {
    case .inserted(_, let row, let uuid, _, _):
      var bytes: [UInt8] = []
      uuid.append(lowerCaseTextTo: &bytes)
      return ("created", "record \(String(decoding: bytes, as: UTF8.self)) in row \(row)")
    case .deleted(_, let row, let cause): return ("deleted", "row \(row): \(cause)")
    case .refused(_, let step): return ("refused", "a write: \(step)")
    }
  }
}

extension OutgoingRequest {
  fileprivate var contents: String {
    guard let cargo, let first = cargo.uuids.first else { return "" }
    var bytes: [UInt8] = []
    first.append(lowerCaseTextTo: &bytes)
    let more = cargo.uuids.count > 1 ? " and \(cargo.uuids.count - 1) more" : ""
    return ", record \(String(decoding: bytes, as: UTF8.self))\(more), \(cargo.trigger.rawValue)"
  }
}
