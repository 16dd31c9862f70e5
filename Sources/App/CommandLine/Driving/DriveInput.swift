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

  /// Arrows and the like come as a piece that begins with an escape, and mean nothing here.
  private mutating func type(_ piece: ArraySlice<UInt8>) {
    guard piece.first != 0x1B else { return }
    // Ctrl-D ends what reads from a terminal.
    if piece.contains(4) { isOpen = false }
    for letter in String(decoding: piece, as: UTF8.self) {
      if let key = DriveKey(letter: letter) { steps.append(.press(key)) }
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
