import AnswerCheck
import Base
import CLinux
import Drive
import Glibc
import Reports
import Upload
import Vocabulary

/// A terminal in raw mode without echo. Its mode is restored in every case, also when the process is suspended or
/// crashes; except after SIGKILL.
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

  /// Delivers keys at once and without echo; Ctrl-C remains a signal.
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

  /// Restores the terminal and stops the process until it is continued.
  func suspend() {
    leave()
    raise(SIGSTOP)
    enter()
  }

  /// The columns of the terminal; 80 when unknown.
  var width: Int { terminalWidth(descriptor) ?? 80 }

  func write(_ text: String) { Descriptor.write(text, to: descriptor) }
}

/// The input of keys and words.
struct DriveInput {
  private var steps: [DriveStep]
  private var index = 0
  private var text: [UInt8] = []
  private var problem: DriveScriptError?
  /// Whether more input may come.
  private(set) var isOpen: Bool

  /// Creates the input of a complete script, or nil to read it.
  init(script: [DriveStep]? = []) {
    steps = script ?? []
    isOpen = script == nil
  }

  /// Whether no input is left and none will come.
  var hasEnded: Bool { !isOpen && index == steps.count }

  /// An error of the script is thrown after all steps before it.
  mutating func next() throws(DriveScriptError) -> DriveStep? {
    guard index < steps.count else {
      if let problem { throw problem }
      return nil
    }
    defer { index += 1 }
    return steps[index]
  }

  /// Reads the available input: at least a byte, or the end.
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

  /// Arrow keys and the like send sequences that begin with an escape (ECMA-48 §5.4); they are ignored.
  private mutating func type(_ piece: ArraySlice<UInt8>) {
    var rest = piece
    while let byte = rest.popFirst() {
      switch byte {
      case 0x1B:
        guard let kind = rest.popFirst(), kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else { continue }
        while let next = rest.popFirst(), next < 0x40 {}
      // Ctrl-D ends the input from a terminal.
      case 4: isOpen = false
      default:
        if let key = DriveKey(letter: Character(Unicode.Scalar(byte))) { steps.append(.press(key)) }
      }
    }
  }

  /// Parses whole lines only, because a word may arrive in two pieces.
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

/// The output for the user: scrolling lines, and on a terminal the state of the phone in the last one.
final class DriveScreen {
  let console: DriveConsole?
  private let write: (String) -> Void
  private var status = ""
  /// The origin, such as `http://127.0.0.1:8080`: printed once, and omitted afterwards.
  private let origin: String
  private var hasSaidOrigin = false
  /// The last printed form of each broken clause, to print it once only.
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

  /// Shows a changed status, cut to the width of the line.
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

  /// The detail without numbers, which change with each retry.
  private static func outline(of finding: Finding) -> String { finding.detail.filter { !$0.isNumber } }

  /// The time of day in UTC, as in the log.
  static func clock(_ wall: WallInstant) -> String { String(wall.iso8601Text.dropFirst(11).prefix(8)) }

  /// Removes control characters, because a server's text must not control the terminal.
  static func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}
