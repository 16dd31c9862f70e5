import Base
import Glibc
import Support

extension ServerProcess {
  /// The answer to a GET over a connection of its own.
  func get(_ path: String) throws(Trouble) -> String {
    do throws(LoopbackClient.Failure) {
      let client = try LoopbackClient(port: port)
      try client.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
      return try client.receiveToEnd().text
    } catch { throw Trouble("GET \(path): \(error)") }
  }

  /// Asks `/readyz` until it says 200; from the call that started it to that answer.
  func untilReady() throws(Trouble) -> Nanoseconds {
    let clock = SystemClock()
    while clock.monotonicNow - startedAt < .seconds(60) {
      if try get("/readyz").hasPrefix("HTTP/1.1 200") { return clock.monotonicNow - startedAt }
    }
    throw Trouble("the server is not ready after a minute")
  }

  /// Memory that is in use now, and the most since `forgetPeak`, in KiB.
  var memory: (now: Int, peak: Int) {
    var now = 0
    var peak = 0
    for line in ProcFile.lines("/proc/\(child.id)/status") {
      let words = line.split { $0 == " " || $0 == "\t" }
      guard words.count > 1, let value = Int(words[1]) else { continue }
      if words[0] == "VmRSS:" { now = value }
      if words[0] == "VmHWM:" { peak = value }
    }
    return (now, peak)
  }

  /// proc(5): 5 sets the peak to what is in use now.
  func forgetPeak() throws(Trouble) {
    let descriptor = unsafe open("/proc/\(child.id)/clear_refs", O_WRONLY | O_CLOEXEC)
    defer { _ = close(descriptor) }
    guard descriptor >= 0, unsafe write(descriptor, "5", 1) == 1 else { throw Trouble("clear_refs", errno) }
  }

  /// Open sockets, as the kernel counts them and not the server.
  var sockets: Int {
    guard let folder = unsafe opendir("/proc/\(child.id)/fd") else { return 0 }
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
    guard let line = ProcFile.lines("/proc/\(child.id)/stat").first, let end = line.lastIndex(of: ")") else { return 0 }
    let words = line[end...].split(separator: " ")
    guard words.count > 13, let user = Double(words[12]), let system = Double(words[13]) else { return 0 }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
