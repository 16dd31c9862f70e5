import Drive
import Glibc

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
