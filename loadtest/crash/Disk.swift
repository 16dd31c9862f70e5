import Support

/// Files as a power loss finds them: what is synced is there; of what is not, anything may be there.
struct Disk {
  private enum Change {
    case write(offset: Int, bytes: [UInt8])
    case truncate(size: Int)
  }

  private struct File {
    var durable: [UInt8] = []
    var pending: [Change] = []
  }

  /// What becomes of changes that were not synced.
  enum Loss: CaseIterable {
    case everything
    case nothing
    /// Each change is there or not.
    case some
    /// Each sector of 512 bytes is there or not, and the changes come in any order.
    case sectors
  }

  private var files: [(name: String, file: File)] = []

  mutating func apply(_ event: Recording.Event) {
    switch event {
    case .write(let name, let offset, let bytes):
      files[place(of: name)].file.pending.append(.write(offset: offset, bytes: bytes))
    case .truncate(let name, let size): files[place(of: name)].file.pending.append(.truncate(size: size))
    case .sync(let name):
      let place = place(of: name)
      for change in files[place].file.pending { Disk.apply(change, to: &files[place].file.durable) }
      files[place].file.pending = []
    case .remove(let name): files.removeAll { $0.name == name }
    case .acknowledge: break
    }
  }

  private mutating func place(of name: String) -> Int {
    if let place = files.firstIndex(where: { $0.name == name }) { return place }
    files.append((name, File()))
    return files.count - 1
  }

  /// What may be found after a power loss at this moment.
  func afterPowerLoss(_ loss: Loss, _ generator: inout SeededGenerator) -> [(name: String, bytes: [UInt8])] {
    files.map { name, file in
      var bytes = file.durable
      switch loss {
      case .everything: break
      case .nothing: for change in file.pending { Disk.apply(change, to: &bytes) }
      case .some: for change in file.pending where generator.chance(0.5) { Disk.apply(change, to: &bytes) }
      case .sectors:
        for change in file.pending.shuffled(using: &generator) { Disk.tear(change, into: &bytes, &generator) }
      }
      return (name, bytes)
    }
  }

  private static func tear(_ change: Change, into bytes: inout [UInt8], _ generator: inout SeededGenerator) {
    switch change {
    case .truncate: if generator.chance(0.5) { apply(change, to: &bytes) }
    case .write(let offset, let data):
      var start = 0
      while start < data.count {
        let end = min(data.count, ((offset + start) / 512 + 1) * 512 - offset)
        if generator.chance(0.5) { apply(.write(offset: offset + start, bytes: Array(data[start..<end])), to: &bytes) }
        start = end
      }
    }
  }

  private static func apply(_ change: Change, to bytes: inout [UInt8]) {
    switch change {
    case .truncate(let size):
      if size < bytes.count { bytes.removeLast(bytes.count - size) } else { grow(&bytes, to: size) }
    case .write(let offset, let data):
      grow(&bytes, to: offset + data.count)
      bytes.replaceSubrange(offset..<(offset + data.count), with: data)
    }
  }

  private static func grow(_ bytes: inout [UInt8], to size: Int) {
    if size > bytes.count { bytes += [UInt8](repeating: 0, count: size - bytes.count) }
  }
}
