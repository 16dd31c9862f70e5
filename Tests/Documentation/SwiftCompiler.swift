import FoundationEssentials
import Support

/// The compiler as a reader has it, with the modules of this package, as they were built beside the program of the
/// tests: `swift build` would wait for the lock that `swift test` holds.
enum SwiftCompiler {
  /// Each mode in which an app may be.
  static let modes = [5, 6]

  /// Gives what is wrong with the files; nothing when they compile. Warnings are allowed.
  static func complaint(about files: [String], mode: Int) async -> String? {
    let outcome = await Shell.run("\(flags)\nswiftc -typecheck \(arguments(mode, files))")
    return outcome.exitCode == 0 ? nil : "mode \(mode): \(outcome.output)"
  }

  /// Compiles the files, links them with what the program `examples` is made of, and runs that in `folder`.
  static func run(_ files: [String], mode: Int, in folder: String) async -> Shell.Outcome {
    await Shell.run(
      """
      cd '\(folder)'; set -e
      \(flags)
      grep -v /examples.build/ '\(BuiltProgram.path(of: "examples.product/Objects.LinkFileList"))' >objects
      swiftc -suppress-warnings -o program \(arguments(mode, files)) @objects
      ./program
      """)
  }

  private static func arguments(_ mode: Int, _ files: [String]) -> String {
    let names = files.map { "'\($0)'" }.joined(separator: " ")
    return "-swift-version \(mode) -module-name Examples \"${flags[@]}\" \(names)"
  }

  /// The modules, and the maps of those that are C. Module caches of the build are as good as new ones, and faster.
  private static let flags = """
    flags=(-I '\(BuiltProgram.path(of: "Modules"))' -module-cache-path '\(BuiltProgram.path(of: "ModuleCache"))')
    for map in '\(BuiltProgram.path(of: ""))'*.build/module.modulemap '\(Document.root)'/Sources/System/*/module.modulemap; do
      flags+=(-Xcc -fmodule-map-file="$map")
    done
    """
}

/// A folder for one test, gone with it.
final class Scratch {
  let path = "\(FileManager.default.temporaryDirectory.path)/rollingroad-examples-\(UUID().uuidString)"

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch { preconditionFailure("\(path) stays: \(error)") }
  }

  /// Gives the file's path.
  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
    return "\(path)/\(name)"
  }
}
