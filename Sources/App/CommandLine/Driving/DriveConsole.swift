import AnswerCheck
import Base
import CLinux
import Drive
import Glibc
import Reports
import Upload
import Vocabulary

/// A terminal whose keys come one by one and unseen. It is as it was before when this ends, whichever way it ends: also when
/// the process is suspended, and when it crashes. Only SIGKILL leaves it as it is.
final class DriveConsole {
  let descriptor: Int32
  private let original: termios
  private var isRaw = false

  init?(terminal: Int32) {
    descriptor = terminal
    var mode = termios()
    guard unsafe tcgetattr(terminal, &mode) == 0 else { return nil }
    original = mode
    enter()
  }

  deinit { leave() }

  /// Keys at once and without an echo; Ctrl-C stays a signal.
  func enter() {
    guard !isRaw else { return }
    isRaw = true
    var mode = original
    unsafe rr_rescue_terminal(descriptor, &mode)
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
    unsafe withUnsafeMutableBytes(of: &mode.c_cc) { codes in
      unsafe codes[Int(VMIN)] = 1
      unsafe codes[Int(VTIME)] = 0
    }
    _ = unsafe tcsetattr(descriptor, TCSADRAIN, &mode)
  }

  func leave() {
    guard isRaw else { return }
    isRaw = false
    var mode = original
    _ = unsafe tcsetattr(descriptor, TCSADRAIN, &mode)
    rr_forget_terminal()
  }

  /// Gives the terminal back and stops the process until it is continued.
  func suspend() {
    leave()
    raise(SIGSTOP)
    enter()
  }

  /// Letters to a line; 80 when unknown.
  var width: Int { terminalWidth(descriptor) ?? 80 }

  func write(_ text: String) { Descriptor.write(text, to: descriptor) }
}

/// Keys and words as they come.
struct DriveInput {
  private var steps: [DriveStep]
  private var index = 0
  private var text: [UInt8] = []
  private var problem: DriveScriptError?
  /// More may come.
  private(set) var isOpen: Bool

  /// A script that is whole, or nil for one that is read.
  init(script: [DriveStep]? = []) {
    steps = script ?? []
    isOpen = script == nil
  }

  /// Nothing is left and nothing will come.
  var hasEnded: Bool { !isOpen && index == steps.count }

  /// What is wrong is told when everything before it was done.
  mutating func next() throws(DriveScriptError) -> DriveStep? {
    guard index < steps.count else {
      if let problem { throw problem }
      return nil
    }
    defer { index += 1 }
    return steps[index]
  }

  /// What there is to read, at least a byte or the end.
  mutating func read(_ descriptor: Int32, isTerminal: Bool) {
    var piece = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe Glibc.read(descriptor, &piece, piece.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0 else {
      isOpen = false
      return take(text + [UInt8(ascii: "\n")])
    }
    if isTerminal { type(piece[..<count]) } else { read(piece[..<count]) }
  }

  /// Arrows and the like are sequences that begin with an escape (ECMA-48 §5.4), and mean nothing here.
  private mutating func type(_ piece: ArraySlice<UInt8>) {
    var rest = piece
    while let byte = rest.popFirst() {
      switch byte {
      case 0x1B:
        guard let kind = rest.popFirst(), kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else { continue }
        while let next = rest.popFirst(), next < 0x40 {}
      // Ctrl-D ends what reads from a terminal.
      case 4: isOpen = false
      default:
        if let key = DriveKey(letter: Character(Unicode.Scalar(byte))) { steps.append(.press(key)) }
      }
    }
  }

  /// Whole lines only: a word may come in two pieces.
  private mutating func read(_ piece: ArraySlice<UInt8>) {
    text += piece
    guard let end = text.lastIndex(of: UInt8(ascii: "\n")) else { return }
    let lines = Array(text[...end])
    text.removeFirst(end + 1)
    take(lines)
  }

  private mutating func take(_ lines: [UInt8]) {
    guard problem == nil else { return }
    for line in String(decoding: lines, as: UTF8.self).split(whereSeparator: \.isNewline) {
      do throws(DriveScriptError) { steps += try DriveStep.script(String(line)) } catch {
        problem = error
        isOpen = false
        return
      }
    }
  }
}

/// What a person sees: lines that scroll, and on a terminal the phone in the last one.
final class DriveScreen {
  let console: DriveConsole?
  private let write: (String) -> Void
  private var status = ""
  /// `http://127.0.0.1:8080`: said once, and left out afterwards.
  private let origin: String
  private var hasSaidOrigin = false
  /// Of each clause that was broken, how it was shown: once is enough.
  private var shown: [Clause: String] = [:]

  init(console: DriveConsole?, origin: String, write: @escaping (String) -> Void) {
    self.console = console
    self.origin = origin
    self.write = write
  }

  func show(_ text: String, style: Style = .plain) {
    guard let console else { return write(text) }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      .flatMap { Columns.wrapped(String($0), to: console.width) }.joined(separator: "\n")
    console.write("\r\u{1B}[K" + style.begin + lines + style.end + "\n" + status)
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
    case .sent(let request):
      show("\(time)  → \(DriveExchange.summary(of: request, besides: hasSaidOrigin ? origin : ""))")
      hasSaidOrigin = true
    case .ended(let answer, let findings):
      let isGood = 200..<300 ~= answer.outcome.status && findings.isEmpty
      show("\(time)  ← \(DriveScreen.printable(DriveExchange.summary(of: answer)))", style: isGood ? .good : .plain)
      let again = findings.filter { shown[$0.clause] == DriveScreen.outline(of: $0) }
      for finding in findings where !again.contains(finding) { show(finding) }
      let numbers = again.map { "\($0.clause.number)" }.joined(separator: ", ")
      if !again.isEmpty {
        show("            ✗ again: \(again.count == 1 ? "clause" : "clauses") \(numbers)", style: .bad)
      }
    }
  }

  private func show(_ finding: Finding) {
    let indent = "            "
    show(
      "\(indent)✗ \(finding.clause.number). \(finding.clause.rule): \(DriveScreen.printable(finding.detail))",
      style: .bad)
    if shown.updateValue(DriveScreen.outline(of: finding), forKey: finding.clause) == nil {
      show("\(indent)  → \(finding.remedy)")
    }
  }

  /// Without numbers, which count from retry to retry.
  private static func outline(of finding: Finding) -> String { finding.detail.filter { !$0.isNumber } }

  /// The time of day, UTC, as in the log.
  static func clock(_ wall: WallInstant) -> String { String(wall.iso8601Text.dropFirst(11).prefix(8)) }

  /// What a server sends must not steer a terminal.
  static func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}
