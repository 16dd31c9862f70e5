/// Which module a target may import. The manifest is the table; what the toolchain brings stands here.
struct Arrows {
  struct Target: Equatable, Sendable {
    let name: String
    let folder: String
    let needs: Set<String>
  }

  /// Modules of the toolchain that hold no I/O and no clock: every target may use them.
  static let everywhere: Set<String> = ["Synchronization"]

  /// Modules of the operating system, and who may import them.
  static let ofSystem: [String: Set<String>] = [
    "Glibc": ["Threads", "Shell", "Base", "TLS", "Network", "Store", "CurlTransport", "CommandLine", "rollingroad"],
    "FoundationEssentials": ["BackgroundGeolocation"],
  ]

  /// Base reads the clock and nothing else of the operating system, and it does so in one place.
  static let operatingSystemInBase = "Sources/Base/Time/SystemClock.swift"

  /// Those below `Sources`.
  let targets: [Target]

  init(manifest: SourceFile) {
    let text = manifest.lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
    targets = ["library(", ".target(", ".executableTarget("].flatMap { Arrows.targets(in: text[...], made: $0) }
  }

  static func ofRepository() throws -> Arrows { Arrows(manifest: try SourceTree.file("Package.swift")) }

  func target(of path: String) -> Target? { targets.first { path.hasPrefix($0.folder + "/") } }

  func violations(in file: SourceFile) -> [Violation] {
    guard let target = target(of: file.path) else {
      return [Violation(path: file.path, line: 1, rule: "belongs to no target of the manifest")]
    }
    return file.lines(with: "import").compactMap { index, line in
      guard let module = Arrows.importedModule(line), !Arrows.everywhere.contains(module) else { return nil }
      let isAllowed = target.needs.contains(module) || Arrows.ofSystem[module]?.contains(target.name) ?? false
      let isMisplaced = target.name == "Base" && module == "Glibc" && file.path != Arrows.operatingSystemInBase
      guard !isAllowed || isMisplaced else { return nil }
      let rule =
        isMisplaced
        ? "only the clock of Base may import Glibc" : "\(target.name) must not import \(module)"
      return Violation(path: file.path, line: index + 1, rule: rule)
    }
  }

  /// The module of an import line, with or without attributes, access level and kind.
  static func importedModule(_ line: Substring) -> String? {
    let words = line.split(separator: " ")
    guard let place = words.firstIndex(of: "import"), place + 1 < words.count else { return nil }
    let prefix = words[..<place]
    guard prefix.allSatisfy({ $0.hasPrefix("@") || ["public", "package", "internal", "private"].contains($0) }) else {
      return nil
    }
    let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
    let path = kinds.contains(words[place + 1]) && place + 2 < words.count ? words[place + 2] : words[place + 1]
    return path.split(separator: ".").first.map(String.init)
  }
}

/// Reading the manifest.
extension Arrows {
  /// The targets that calls of one function make: a name, its folder, and what it needs.
  private static func targets(in text: Substring, made call: String) -> [Target] {
    var rest = text
    var found: [Target] = []
    while let place = rest.firstRange(of: call) {
      rest = rest[place.upperBound...]
      // The functions themselves, and products, have something else in this place.
      let label = call == "library(" ? "\"" : "name: \""
      guard rest.drop(while: \.isWhitespace).hasPrefix(label), let name = quoted(rest).first else { continue }
      let arguments = rest.prefix(argumentsLength(rest))
      let folder =
        self.text(behind: "path:", in: arguments)
        ?? "Sources/\(self.text(behind: "in:", in: arguments) ?? "")\(name)"
      guard folder.hasPrefix("Sources/") else { continue }
      let list = ["needs:", "dependencies:"].compactMap { arguments.firstRange(of: $0) }.first
      let needs = list.map { quoted(arguments[$0.upperBound...].prefix { $0 != "]" }) } ?? []
      found.append(Target(name: name, folder: folder, needs: Set(needs)))
    }
    return found
  }

  /// As far as the parenthesis that closes the call.
  private static func argumentsLength(_ text: Substring) -> Int {
    var (depth, length) = (1, 0)
    for letter in text {
      if letter == "(" { depth += 1 }
      if letter == ")" { depth -= 1 }
      if depth == 0 { return length }
      length += 1
    }
    return length
  }

  private static func quoted(_ text: Substring) -> [String] {
    text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  private static func text(behind label: String, in arguments: Substring) -> String? {
    arguments.firstRange(of: label).flatMap { quoted(arguments[$0.upperBound...]).first }
  }
}

/// The table of targets in `docs/architecture.md`, held against the manifest.
extension Arrows {
  /// A row names targets in its second column and what they import in the last. A cell with other words ("the device's
  /// parts") stands for several names, and is not checked.
  func violations(inTable page: SourceFile) -> [Violation] {
    var missing = Set(targets.map(\.name))
    var found: [Violation] = []
    for (index, line) in page.lines.enumerated() {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
      guard cells.count == 6 else { continue }
      let names = Arrows.words(of: cells[2]).quoted
      let row = targets.filter { names.contains($0.name) }
      guard !row.isEmpty else { continue }
      missing.subtract(names)
      let imports = Arrows.words(of: cells[4])
      guard imports.plain.isSubset(of: ["nothing"]) else { continue }
      let needs = row.reduce(into: Set<String>()) { $0.formUnion($1.needs) }
      for name in needs.symmetricDifference(imports.quoted).sorted() {
        let rule = needs.contains(name) ? "the arrow to \(name) is missing" : "the manifest has no arrow to \(name)"
        found.append(Violation(path: page.path, line: index + 1, rule: rule))
      }
    }
    return found
      + missing.sorted().map { Violation(path: page.path, line: 1, rule: "the table does not name the target \($0)") }
  }

  /// Those in backticks, and the others.
  private static func words(of cell: Substring) -> (quoted: Set<String>, plain: Set<String>) {
    let pieces = cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
    let quoted = pieces.filter { $0.offset % 2 == 1 }.map { String($0.element) }
    let plain = pieces.filter { $0.offset % 2 == 0 }.flatMap { $0.element.split(separator: " ").map { String($0) } }
    return (Set(quoted), Set(plain))
  }
}
