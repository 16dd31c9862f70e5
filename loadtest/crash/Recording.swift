/// What a server did to its files and said to its clients, in the order in which it did, read from the text of strace.
struct Recording {
  enum Event {
    case write(file: String, offset: Int, bytes: [UInt8])
    case truncate(file: String, size: Int)
    /// Everything written to the file before is on disk.
    case sync(file: String)
    case remove(file: String)
    /// The 2xx of a batch leaves.
    case acknowledge(client: Int, number: Int)
  }

  private(set) var events: [Event] = []
  /// Names of open files by descriptor, those of the database only.
  private var files: [Int: String] = [:]
  /// What a thread has begun and not ended: the call and its descriptor or path.
  private var begun: [Int: String] = [:]
  /// What a client sent since its last answer, by descriptor.
  private var received: [Int: [UInt8]] = [:]

  static let wrapper = [
    "strace", "-f", "-qq", "-xx", "-s", "10000000", "-e",
    "trace=openat,close,pwrite64,fdatasync,fsync,ftruncate,unlink,recvfrom,sendto", "-o",
  ]

  init(parsing text: [UInt8]) {
    for line in text.split(separator: UInt8(ascii: "\n")) { read(line) }
  }

  /// How much happened: a recording without a sync or without a write into the main file would show nothing.
  var summary: String {
    var counts = (writes: 0, main: 0, syncs: 0)
    for event in events {
      switch event {
      case .write(let file, _, _):
        counts.writes += 1
        if file == "store.db" { counts.main += 1 }
      case .sync: counts.syncs += 1
      case .truncate, .remove, .acknowledge: break
      }
    }
    return "\(counts.writes) writes (\(counts.main) main), \(counts.syncs) syncs"
  }

  /// `PID name(arguments) = result`, or its two halves: `PID name(… <unfinished ...>` and `PID <... name resumed>…`.
  private mutating func read(_ line: ArraySlice<UInt8>) {
    var rest = line
    guard let pid = number(&rest) else { return }
    rest = rest.drop { $0 == UInt8(ascii: " ") }
    if rest.starts(with: Array("<... ".utf8)) {
      guard let bracket = rest.firstIndex(of: UInt8(ascii: ">")) else { return }
      ended(begun.removeValue(forKey: pid) ?? "", rest[(bracket + 1)...])
      return
    }
    guard let parenthesis = rest.firstIndex(of: UInt8(ascii: "(")) else { return }
    let name = String(decoding: rest[..<parenthesis], as: UTF8.self)
    let arguments = rest[(parenthesis + 1)...]
    let isUnfinished = arguments.suffix(16).starts(with: Array("<unfinished ...>".utf8))
    let subject = began(name, arguments)
    if isUnfinished { begun[pid] = name + " " + subject } else { ended(name + " " + subject, arguments) }
  }

  /// What counts from the moment of the call. Gives back what must be known at its end.
  private mutating func began(_ name: String, _ arguments: ArraySlice<UInt8>) -> String {
    var rest = arguments
    switch name {
    case "openat": return string(in: arguments).map { String(decoding: $0, as: UTF8.self) } ?? ""
    case "unlink":
      let path = string(in: arguments).map { String(decoding: $0, as: UTF8.self) } ?? ""
      if let file = databaseFile(path) { events.append(.remove(file: file)) }
      return ""
    default: break
    }
    guard let descriptor = number(&rest) else { return "" }
    switch name {
    case "close": files[descriptor] = nil
    case "pwrite64":
      guard let file = files[descriptor], let bytes = string(in: rest) else { return "" }
      let offset = lastNumber(rest, before: UInt8(ascii: ")")) ?? 0
      events.append(.write(file: file, offset: offset, bytes: bytes))
    case "ftruncate":
      guard let file = files[descriptor] else { return "" }
      events.append(.truncate(file: file, size: lastNumber(rest, before: UInt8(ascii: ")")) ?? 0))
    case "sendto":
      guard let bytes = string(in: rest), bytes.starts(with: Array("HTTP/1.1 200".utf8)) else { return "" }
      acknowledged(descriptor)
    default: break
    }
    return "\(descriptor)"
  }

  /// What counts from the moment of the return.
  private mutating func ended(_ call: String, _ arguments: ArraySlice<UInt8>) {
    let words = call.split(separator: " ", maxSplits: 1).map { String($0) }
    guard words.count == 2, let result = result(arguments), result >= 0 else { return }
    switch words[0] {
    case "openat": if let file = databaseFile(words[1]) { files[result] = file }
    case "fdatasync", "fsync":
      if let file = Int(words[1]).flatMap({ files[$0] }) { events.append(.sync(file: file)) }
    case "recvfrom":
      if let descriptor = Int(words[1]), let bytes = string(in: arguments) {
        received[descriptor, default: []] += bytes
      }
    default: break
    }
  }

  /// `{"batch":7,"device_id":"c3"` begins every body.
  private mutating func acknowledged(_ descriptor: Int) {
    guard let request = received.removeValue(forKey: descriptor) else { return }
    let text = String(
      decoding: request.suffix(from: request.firstIndex(of: UInt8(ascii: "{")) ?? 0).prefix(80), as: UTF8.self)
    let parts = text.split { !$0.isNumber }
    guard text.hasPrefix("{\"batch\":"), parts.count >= 2, let number = Int(parts[0]), let client = Int(parts[1]) else {
      return
    }
    events.append(.acknowledge(client: client, number: number))
  }

  private func databaseFile(_ path: String) -> String? {
    guard let name = path.split(separator: "/").last, name.hasPrefix("store.db"), !name.hasSuffix("-shm") else {
      return nil
    }
    return String(name)
  }
}

/// The forms in which strace writes numbers and strings.
extension Recording {
  private func number(_ text: inout ArraySlice<UInt8>) -> Int? {
    let digits = text.prefix { (0x30...0x39).contains($0) }
    text = text[digits.endIndex...]
    return Int(String(decoding: digits, as: UTF8.self))
  }

  /// The last argument of a call whose arguments end with `)` or with the mark of an unfinished call.
  private func lastNumber(_ text: ArraySlice<UInt8>, before end: UInt8) -> Int? {
    guard let comma = text.lastIndex(of: UInt8(ascii: ",")) else { return nil }
    var rest = text[(comma + 1)...].drop { $0 == UInt8(ascii: " ") }
    return number(&rest)
  }

  private func result(_ text: ArraySlice<UInt8>) -> Int? {
    guard let sign = text.lastIndex(of: UInt8(ascii: "=")) else { return nil }
    var rest = text[(sign + 1)...].drop { $0 == UInt8(ascii: " ") }
    return number(&rest)
  }

  /// The first string, which `-xx` writes as `"\x41\x42"`.
  private func string(in text: ArraySlice<UInt8>) -> [UInt8]? {
    guard let start = text.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
    var bytes: [UInt8] = []
    var index = start + 1
    while index + 3 < text.endIndex, text[index] == UInt8(ascii: "\\") {
      bytes.append(digit(text[index + 2]) << 4 | digit(text[index + 3]))
      index += 4
    }
    return bytes
  }

  private func digit(_ letter: UInt8) -> UInt8 {
    letter < UInt8(ascii: "a") ? letter - 0x30 : letter - UInt8(ascii: "a") + 10
  }
}
