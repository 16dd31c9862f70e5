/// How one file names another one.
enum RelativePath {
  static func parts(of path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = String(path[..<slash])
    return (folder.isEmpty ? "/" : folder, String(path[path.index(after: slash)...]))
  }

  /// `file` as it is named in `document`, both from where the program was started; without a document, as it is.
  static func from(_ document: String?, to file: String) throws(UsageError) -> String {
    guard let document, !file.hasPrefix("/") || parts(of: document).folder == parts(of: file).folder else {
      return file
    }
    if parts(of: document).folder == parts(of: file).folder { return parts(of: file).name }
    let steps = document.split(separator: "/").dropLast().filter { $0 != "." }
    guard !document.hasPrefix("/"), !steps.contains("..") else {
      throw UsageError("--out: from '\(document)' there is no way back to '\(file)'; name FILE from the root")
    }
    return steps.map { _ in "../" }.joined() + file
  }
}
