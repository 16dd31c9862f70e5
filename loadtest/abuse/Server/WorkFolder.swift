import Glibc

/// Where a campaign keeps its data folders; removed when nobody needs it any more.
final class WorkFolder {
  let path: String

  /// `parent` is a folder for temporary files.
  init(in parent: String = "/tmp") throws(Trouble) {
    var template = Array((parent + "/rollingroad-abuse-" + String(repeating: "X", count: 6)).utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Trouble("making a folder in \(parent)", errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { WorkFolder.remove(path) }

  static func remove(_ path: String) {
    guard let folder = unsafe opendir(path) else { return }
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
      let inner = path + "/" + name
      if unsafe unlink(inner) != 0 { remove(inner) }
    }
    _ = unsafe closedir(folder)
    _ = unsafe rmdir(path)
  }
}
