/// Colour on a terminal, and nothing elsewhere.
struct Paint {
  let isOn: Bool

  func bold(_ text: String) -> String { paint("1", text) }
  func red(_ text: String) -> String { paint("31", text) }
  func green(_ text: String) -> String { paint("32", text) }
  func yellow(_ text: String) -> String { paint("33", text) }

  /// ECMA-48 §8.3.117.
  private func paint(_ code: String, _ text: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}

/// Rows whose columns stand under each other.
enum Columns {
  static func text(_ rows: [[String]], firstIsLeft: Bool, allLeft: Bool = false) -> [String] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
      let cells = row.enumerated().map { column, text in
        let space = String(repeating: " ", count: widths[column] - text.count)
        return allLeft || (column == 0 && firstIsLeft) ? text + space : space + text
      }
      let line = cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}
