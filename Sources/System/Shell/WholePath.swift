internal import Glibc

/// Makes a path absolute, so that it has the same meaning in every folder.
package enum WholePath {
  package static func of(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = unsafe getcwd(nil, 0) else { return path }
    defer { unsafe free(folder) }
    return unsafe String(cString: folder) + "/" + path
  }
}
