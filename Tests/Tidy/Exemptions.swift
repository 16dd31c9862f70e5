/// The lists of what a rule does not hold for: an entry that no file needs any more would hide the next mistake there.
struct Exemptions {
  let list: String
  /// Beginnings of paths.
  let entries: [String]
  /// Whether a file breaks the rule, as only a file of the list may.
  let isNeeded: @Sendable (SourceFile) -> Bool

  static var all: [Exemptions] {
    let marks = Marks.all.map { mark in
      Exemptions(list: "Marks: \(mark.word)", entries: mark.allowedIn) { file in
        file.contains(mark.word)
      }
    }
    return marks + [
      Exemptions(list: "Marks.unsafeAllowedIn", entries: Marks.unsafeAllowedIn) {
        $0.lines(with: "unsafe").contains { Marks.isUnsafe($0.element) }
      },
      Exemptions(list: "Marks.foundationAllowedIn", entries: Marks.foundationAllowedIn) { file in
        file.lines(with: "import").contains { Arrows.importedModule($0.element) == "Foundation" }
      },
      Exemptions(list: "Marks.essentialsAllowedIn", entries: Marks.essentialsAllowedIn) { file in
        file.lines(with: "import").contains { Arrows.importedModule($0.element) == "FoundationEssentials" }
      },
      Exemptions(list: "Arrows.operatingSystemInBase", entries: [Arrows.operatingSystemInBase]) { file in
        file.lines(with: "import").contains { Arrows.importedModule($0.element) == "Glibc" }
      },
    ]
  }

  func stale(in files: [SourceFile]) -> [String] {
    entries.filter { entry in !files.contains { $0.path.hasPrefix(entry) && isNeeded($0) } }
      .map { "\(list): nothing in \($0) needs it" }
  }
}

/// The same for the tables of imports.
extension Arrows {
  /// Modules that a target may import and does not, of those that the manifest gives it and those of the toolchain.
  func stale(in files: [SourceFile]) -> [String] {
    var imported: [String: Set<String>] = [:]
    for file in files {
      guard let target = target(of: file.path)?.name else { continue }
      for (_, line) in file.lines(with: "import") {
        if let module = Arrows.importedModule(line) { imported[target, default: []].insert(module) }
      }
    }
    let declared = targets.flatMap { target in target.needs.map { (target.name, $0) } }
    let ofSystem = Arrows.ofSystem.flatMap { module, names in names.map { ($0, module) } }
    let unused = (declared + ofSystem).filter { target, module in imported[target]?.contains(module) != true }
    let everywhere = Arrows.everywhere.filter { module in !imported.values.contains { $0.contains(module) } }
    return unused.map { "\($0) does not import \($1)" }.sorted() + everywhere.map { "nothing imports \($0)" }
  }
}
