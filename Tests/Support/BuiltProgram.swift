import Glibc

/// An executable of this package, as it was built beside the program of the tests.
package enum BuiltProgram {
  /// Its path. A target whose tests ask for it depends on it, so that it is built first.
  package static func path(of name: String) -> String { folder + name }

  /// With a slash at the end.
  private static let folder: String = {
    var path = [CChar](repeating: 0, count: 4_096)
    let count = unsafe readlink("/proc/self/exe", &path, path.count - 1)
    let own = String(decoding: path[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(own[...(own.lastIndex(of: "/") ?? own.startIndex)])
  }()
}
