import Glibc

extension ServerProcess {
  /// Memory that is in use now, and the most since `forgetPeak`, in KiB.
  var memory: (now: Int, peak: Int) {
    var now = 0
    var peak = 0
    for line in ProcFile.lines("/proc/\(child)/status") {
      let words = line.split { $0 == " " || $0 == "\t" }
      guard words.count > 1, let value = Int(words[1]) else { continue }
      if words[0] == "VmRSS:" { now = value }
      if words[0] == "VmHWM:" { peak = value }
    }
    return (now, peak)
  }

  /// proc(5): 5 sets the peak to what is in use now.
  func forgetPeak() throws(Trouble) {
    let descriptor = unsafe open("/proc/\(child)/clear_refs", O_WRONLY | O_CLOEXEC)
    defer { _ = close(descriptor) }
    guard descriptor >= 0, unsafe write(descriptor, "5", 1) == 1 else { throw Trouble("clear_refs", errno) }
  }

  /// Open sockets, as the kernel counts them and not the server.
  var sockets: Int {
    guard let folder = unsafe opendir("/proc/\(child)/fd") else { return 0 }
    defer { _ = unsafe closedir(folder) }
    var count = 0
    var target = [CChar](repeating: 0, count: 16)
    while let entry = unsafe readdir(folder) {
      let length = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe readlinkat(dirfd(folder), $0, &target, target.count)
        }
      }
      // `socket:[12345]`
      if length > 7, target[0] == CChar(UInt8(ascii: "s")), target[6] == CChar(UInt8(ascii: ":")) { count += 1 }
    }
    return count
  }

  /// Seconds of processor time so far.
  var processorSeconds: Double {
    guard let line = ProcFile.lines("/proc/\(child)/stat").first, let end = line.lastIndex(of: ")") else { return 0 }
    let words = line[end...].split(separator: " ")
    guard words.count > 13, let user = Double(words[12]), let system = Double(words[13]) else { return 0 }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
