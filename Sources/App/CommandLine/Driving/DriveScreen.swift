import AnswerCheck
import Base
import Drive
import Upload
import Vocabulary

/// What a person sees: lines that scroll, and on a terminal the phone in the last one.
final class DriveScreen {
  let console: DriveConsole?
  private let write: (String) -> Void
  private var status = ""
  /// Whose remedy was shown: once is enough.
  private var explained: Set<Clause> = []

  init(console: DriveConsole?, write: @escaping (String) -> Void) {
    self.console = console
    self.write = write
  }

  func show(_ text: String, style: Style = .plain) {
    guard let console else { return write(text) }
    console.write("\r\u{1B}[K" + style.begin + text + style.end + "\n" + status)
  }

  /// Shown when it has changed, as far as the line reaches.
  func show(status text: String) {
    guard let console else { return }
    let line = "\u{1B}[7m " + text.prefix(max(0, console.width - 3)) + " \u{1B}[0m"
    guard line != status else { return }
    status = line
    console.write("\r\u{1B}[K" + line)
  }

  func finish() {
    guard let console else { return }
    if !status.isEmpty { console.write("\r\u{1B}[K") }
    status = ""
    console.leave()
  }

  enum Style {
    case plain, dim, good, bad

    var begin: String {
      switch self {
      case .plain: ""
      case .dim: "\u{1B}[2m"
      case .good: "\u{1B}[32m"
      case .bad: "\u{1B}[31m"
      }
    }
    var end: String { begin.isEmpty ? "" : "\u{1B}[0m" }
  }
}

extension DriveScreen {
  func show(_ line: DriveLine, at wall: WallInstant) {
    let time = DriveScreen.clock(wall)
    switch line {
    case .note(let text): show("\(time)  · \(text)")
    case .log(let text): show(DriveScreen.printable(text), style: .dim)
    case .sent(let request): show("\(time)  → \(DriveExchange.summary(of: request))")
    case .ended(let answer, let findings):
      let isGood = 200..<300 ~= answer.outcome.status && findings.isEmpty
      show("\(time)  ← \(DriveScreen.printable(DriveExchange.summary(of: answer)))", style: isGood ? .good : .plain)
      for finding in findings { show(finding) }
    }
  }

  private func show(_ finding: Finding) {
    let indent = "            "
    show(
      "\(indent)✗ \(finding.clause.number). \(finding.clause.rule): \(DriveScreen.printable(finding.detail))",
      style: .bad)
    if explained.insert(finding.clause).inserted { show("\(indent)  → \(finding.clause.remedy)") }
  }

  /// The time of day, UTC, as in the log.
  static func clock(_ wall: WallInstant) -> String { String(wall.iso8601Text.dropFirst(11).prefix(8)) }

  /// What a server sends must not steer a terminal.
  static func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}
