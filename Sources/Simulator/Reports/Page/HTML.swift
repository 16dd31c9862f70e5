/// Pieces of a page. Everything that is not markup goes through `text`.
enum HTML {
  static func text(_ text: String) -> String { XML.escaped(text) }

  /// `attributes` are written as they are: names of classes, numbers.
  static func element(_ name: String, _ attributes: String = "", _ content: [String]) -> String {
    "<\(name)\(attributes.isEmpty ? "" : " " + attributes)>\(content.joined())</\(name)>"
  }

  /// Cells are texts; a row's class tells its colour.
  static func table(_ heads: [String], _ rows: [(className: String, cells: [String])], caption: String) -> String {
    let head = element("tr", "", heads.map { element("th", "scope=\"col\"", [text($0)]) })
    let body = rows.map { row in
      element(
        "tr", row.className.isEmpty ? "" : "class=\"\(row.className)\"",
        row.cells.enumerated().map { index, cell in
          index == 0 ? element("th", "scope=\"row\"", [text(cell)]) : element("td", "", [text(cell)])
        })
    }
    return element(
      "div", "class=\"wide\"",
      [
        element(
          "table", "",
          [
            element("caption", "", [text(caption)]), element("thead", "", [head]), element("tbody", "", body),
          ])
      ])
  }
}
