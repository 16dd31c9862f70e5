/// Where the files are that a scenario names.
package struct RouteFiles {
  /// The bytes of a file; nil when it cannot be read.
  let read: (String) -> [UInt8]?
  /// The names in a folder, in any order; nil when there is no such folder.
  let list: (String) -> [String]?
  /// In which the scenario itself lies, with a slash at its end; empty: where the program was started.
  private let folder: String

  /// `scenario` is the path of the scenario's own file, nil for one that is built in.
  package init(
    beside scenario: String?, read: @escaping (String) -> [UInt8]?,
    list: @escaping (String) -> [String]?
  ) {
    (self.read, self.list) = (read, list)
    folder = scenario?.lastIndex(of: "/").map { String((scenario ?? "")[...$0]) } ?? ""
  }

  /// There are none.
  package static var none: RouteFiles {
    RouteFiles(beside: nil, read: { _ in nil }, list: { _ in nil })
  }

  func path(_ name: String) -> String { name.hasPrefix("/") ? name : folder + name }

  /// The paths that a pattern with `*` in its last part means, in alphabetical order.
  func paths(_ pattern: String) -> [String] {
    let whole = path(pattern)
    let slash = whole.lastIndex(of: "/")
    let parent = slash.map { String(whole[..<$0]) } ?? "."
    let last = slash.map { whole[whole.index(after: $0)...] } ?? whole[...]
    let prefix = slash.map { String(whole[...$0]) } ?? ""
    guard last.contains("*") else { return [whole] }
    return (list(parent) ?? []).filter { RouteFiles.matches($0[...], last) }.sorted().map { prefix + $0 }
  }

  private static func matches(_ name: Substring, _ pattern: Substring) -> Bool {
    guard let star = pattern.firstIndex(of: "*") else { return name == pattern }
    guard name.hasPrefix(pattern[..<star]) else { return false }
    let rest = pattern[pattern.index(after: star)...]
    var tail = name.dropFirst(pattern[..<star].count)
    while true {
      if matches(tail, rest) { return true }
      guard !tail.isEmpty else { return false }
      tail = tail.dropFirst()
    }
  }
}
