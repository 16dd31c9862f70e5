/// The files that a run writes into the folder of `--out`, under the names of its outputs, and the extent of the long ones.
package struct OutputPlan: Sendable {
  package private(set) var summary = "summary.json"
  package private(set) var page = "report.html"
  package private(set) var junit = "junit.xml"
  package private(set) var events = "events.ndjson"
  package private(set) var timeline = "timeline.csv"
  package private(set) var logs = "logs"
  /// Nil: not requested.
  package private(set) var histogramLog: String?
  /// Nil: as many devices as a person may want to read about.
  package private(set) var eventShare: Double?
  package private(set) var loggedDevices = LoggedDevices.failing

  package static let lost = "lost.ndjson"

  package init(_ outputs: [Output] = []) { for output in outputs { take(output) } }

  private mutating func take(_ output: Output) {
    switch output {
    case .summary(let output): summary = output.file
    case .html(let output): page = output.file
    case .junit(let output): junit = output.file
    case .events(let output): (events, eventShare) = (output.file, output.sample)
    case .timeline(let output): timeline = output.file
    case .deviceLogs(let output): (logs, loggedDevices) = (output.directory, output.devices)
    case .histogramLog(let output): histogramLog = output.file
    case .console, .prometheus, .openTelemetry, .remoteWrite: break
    }
  }

  /// The files that are written during the run.
  package var streams: [String] { [events, timeline] + (histogramLog.map { [$0] } ?? []) }

  /// All names, including the folder of logs.
  private var names: [String] { [summary, page, junit, logs, OutputPlan.lost] + streams }

  /// Reports whether several files have this name.
  fileprivate func isShared(_ name: String) -> Bool { names.count { $0 == name } > 1 }
}

extension Output {
  /// Reports whether a run can have only one of the two. Telemetry goes to as many receivers as there are.
  fileprivate func excludes(_ other: Output) -> Bool {
    switch (self, other) {
    case (.summary, .summary), (.junit, .junit), (.html, .html), (.histogramLog, .histogramLog), (.events, .events),
      (.timeline, .timeline), (.deviceLogs, .deviceLogs), (.prometheus, .prometheus):
      true
    default: false
    }
  }

  /// The key and the name of its file; nil for an output without a file.
  fileprivate var place: (key: String, name: String)? {
    switch self {
    case .summary(let output): ("file", output.file)
    case .html(let output): ("file", output.file)
    case .junit(let output): ("file", output.file)
    case .events(let output): ("file", output.file)
    case .timeline(let output): ("file", output.file)
    case .histogramLog(let output): ("file", output.file)
    case .deviceLogs(let output): ("dir", output.directory)
    case .console, .prometheus, .openTelemetry, .remoteWrite: nil
    }
  }
}

extension DecodingContext {
  /// Checks that there is one output of a type, that names stay inside the folder, and that each belongs to one file.
  mutating func judgeOutputs(_ outputs: [Output]) {
    let plan = OutputPlan(outputs)
    for (index, output) in outputs.enumerated() {
      if case .remoteWrite(let output) = output { inside("outputs[\(index)].labels") { $0.judgeLabels(output.labels) } }
      if let first = outputs[..<index].firstIndex(where: output.excludes) {
        inside("outputs[\(index)]") {
          $0.refuse(
            .contradiction, "a second output of the type of outputs[\(first)]",
            remedy: "remove it, or change that one, as with --set outputs[\(first)].KEY=VALUE", reading: ["outputs"])
        }
      }
      guard let (key, name) = output.place else { continue }
      inside("outputs[\(index)].\(key)") { context in
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        if parts.contains(where: { ["", ".", ".."].contains($0) }) {
          context.refuse(
            .outOfRange, "'\(name)' is not a file name inside --out", remedy: "write a name such as report.html",
            reading: ["outputs[\(index)]"])
        } else if plan.isShared(name) {
          context.refuse(
            .contradiction, "another file has the name '\(name)', too", remedy: "write another name",
            reading: ["outputs"])
        }
      }
    }
  }
  /// https://prometheus.io/docs/concepts/data_model: names with two underscores are Prometheus' own.
  private mutating func judgeLabels(_ labels: [Named<String>]) {
    for label in labels {
      let isName = label.name.utf8.enumerated().allSatisfy { index, byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
        default: false
        }
      }
      inside(label.name.asPathStep) {
        if !isName || label.name.hasPrefix("__") {
          $0.refuse(
            .wrongType, "'\(label.name)' cannot be a label of Prometheus",
            remedy: "use letters, digits and _, without a digit or __ at the beginning")
        } else if ["job", "scenario"].contains(label.name) {
          $0.refuse(.contradiction, "every series has a label '\(label.name)' already", remedy: "give it another name")
        }
      }
    }
  }
}
