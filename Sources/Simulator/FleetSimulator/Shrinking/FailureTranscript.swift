package import Base
import JSON
package import Oracle
import Vocabulary
import World

/// Records the events of one device, or of all, until an instant of the run.
package final class FailureTranscript: Watcher {
  /// An event.
  package struct Line: Equatable, Sendable {
    package let instant: MonotonicInstant
    package let device: String
    package let event: EventWord
    /// The rest of the sentence; may be empty.
    package let detail: String
  }

  package private(set) var lines: [Line] = []
  /// The number of earlier lines that were dropped: the end of a long transcript matters most.
  package private(set) var forgotten = 0
  private let setup: RunSetup
  private let names: [String]
  private let device: String?
  private let until: MonotonicInstant?

  private static let linesMax = 100_000

  package init(_ setup: RunSetup, of device: String? = nil, until: MonotonicInstant? = nil) {
    self.setup = setup
    names = setup.deviceNames
    self.device = device
    self.until = until
  }

  package func see(_ event: SimulationEvent, _ context: EventContext) {
    let instant = context.now.monotonic
    if let until, instant > until { return }
    guard device == nil || names[context.device] == device, let word = event.word else { return }
    let detail = event.detail(on: setup.radio[context.network].name)
    lines.append(Line(instant: instant, device: names[context.device], event: word, detail: detail))
    if lines.count == 2 * FailureTranscript.linesMax {
      lines.removeFirst(FailureTranscript.linesMax)
      forgotten += FailureTranscript.linesMax
    }
  }

  /// Returns one line of text per event, of one device or of all.
  package func text(of device: String? = nil) -> String {
    var text = lines.filter { device == nil || $0.device == device }.map {
      "\($0.instant.clockText)  \($0.device)  \($0.event.rawValue)\($0.detail.isEmpty ? "" : " ")\($0.detail)"
    }
    if forgotten > 0 { text.insert("… after \(forgotten) lines", at: 0) }
    return text.joined(separator: "\n")
  }

  /// The events as one JSON object per line.
  package var journal: String {
    var writer = JSONWriter(capacity: 1_024)
    var text = ""
    for line in lines {
      JSONValue.object([
        "at": .string(line.instant.clockText), "device": .string(line.device), "event": .string(line.event.rawValue),
        "detail": .string(line.detail),
      ]).write(to: &writer)
      text += String(decoding: writer.bytes, as: UTF8.self) + "\n"
      writer = JSONWriter(capacity: 1_024)
    }
    return text
  }
}
