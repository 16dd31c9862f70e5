/// Colours on a terminal; none elsewhere.
struct Paint {
  let isOn: Bool

  func bold(_ text: String) -> String { paint("1", text) }
  func red(_ text: String) -> String { paint("31", text) }
  func green(_ text: String) -> String { paint("32", text) }
  func yellow(_ text: String) -> String { paint("33", text) }

  /// ECMA-48 §8.3.117.
  private func paint(_ code: String, _ text: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}

/// Rows with aligned columns.
package enum Columns {
  private static func widths(_ rows: [[String]]) -> [Int] {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    return widths
  }

  /// Drops columns, in this order, until the rows fit into a line.
  static func fitted(_ rows: [[String]], to width: Int, dropping lesser: [Int]) -> [[String]] {
    var (rows, lesser) = (rows, lesser[...])
    while widths(rows).reduce(0, { $0 + $1 + 2 }) - 2 > width, let column = lesser.popFirst() {
      for index in rows.indices where column < rows[index].count { rows[index].remove(at: column) }
    }
    return rows
  }

  /// Wraps a line at spaces to the width of a terminal; continuation lines are indented further.
  package static func wrapped(_ line: String, to width: Int) -> [String] {
    guard length(line[...]) > width else { return [line] }
    let indent = String(repeating: " ", count: line.prefix { $0 == " " }.count)
    var lines: [String] = []
    var current = indent
    for word in line.drop(while: { $0 == " " }).split(separator: " ", omittingEmptySubsequences: false) {
      let isFirst = current.allSatisfy { $0 == " " }
      if !isFirst, length(current[...]) + 1 + length(word) > width {
        lines.append(current)
        current = indent + "    "
      } else if !isFirst {
        current += " "
      }
      current += word
    }
    return lines + [current]
  }

  /// Returns the length without colour codes.
  private static func length(_ text: Substring) -> Int {
    var (count, isPaint) = (0, false)
    for character in text {
      if character == "\u{1B}" { isPaint = true }
      if !isPaint { count += 1 }
      if isPaint, character == "m" { isPaint = false }
    }
    return count
  }

  static func text(
    _ rows: [[String]], firstIsLeft: Bool, lastIsLeft: Bool = false, allLeft: Bool = false
  ) -> [String] {
    let widths = widths(rows)
    return rows.map { row in
      let cells = row.enumerated().map { column, text in
        let space = String(repeating: " ", count: widths[column] - text.count)
        let isLeft = allLeft || column == 0 && firstIsLeft || column == widths.count - 1 && lastIsLeft
        return isLeft ? text + space : space + text
      }
      let line = cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}
