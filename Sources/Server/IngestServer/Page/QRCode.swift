/// A QR code (ISO/IEC 18004) of bytes at error correction level L, in the versions whose data are one block: up to 106 bytes.
struct QRCode {
  /// The number of modules per side.
  let size: Int
  /// Row by row.
  private(set) var modules: [Bool]
  /// The modules of patterns and format, which neither data nor masks change.
  private var isFixed: [Bool]

  /// The codewords of data and error correction, from version 1 (table 9).
  private static let blocks: [(data: Int, correction: Int)] = [(19, 7), (34, 10), (55, 15), (80, 20), (108, 26)]

  /// Returns nil when there are too many bytes. Without a mask, uses the one with the lowest penalty (§7.8.3).
  init?(_ bytes: [UInt8], mask: Int? = nil) {
    guard let index = Self.blocks.firstIndex(where: { bytes.count <= $0.data - 2 }) else { return nil }
    let block = Self.blocks[index]
    size = 21 + 4 * index
    modules = [Bool](repeating: false, count: size * size)
    isFixed = modules
    placePatterns()
    let data = Self.dataCodewords(bytes, count: block.data)
    place(data + ReedSolomon.correction(of: data, count: block.correction))
    let plain = self
    let masked = (mask.map { [$0] } ?? Array(0..<8)).map { plain.masked($0) }
    guard let best = masked.min(by: { $0.penalty < $1.penalty }) else { return nil }
    modules = best.modules
  }

  func isDark(_ row: Int, _ column: Int) -> Bool { modules[row * size + column] }

  /// Mode 4 (bytes), the length, the bytes, the terminator, and padding (§7.4).
  private static func dataCodewords(_ bytes: [UInt8], count: Int) -> [UInt8] {
    var nibbles: [UInt8] = [4, UInt8(bytes.count >> 4), UInt8(bytes.count & 15)]
    for byte in bytes { nibbles += [byte >> 4, byte & 15] }
    nibbles.append(0)
    var codewords = stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    for index in 0..<count - codewords.count { codewords.append(index % 2 == 0 ? 0xEC : 0x11) }
    return codewords
  }
}

/// The placement of modules (§6.3, §7.7.3, §7.9).
extension QRCode {
  private mutating func fix(_ row: Int, _ column: Int, _ isDark: Bool) {
    modules[row * size + column] = isDark
    isFixed[row * size + column] = true
  }

  private mutating func placePatterns() {
    for index in 8..<size - 8 {
      fix(6, index, index % 2 == 0)
      fix(index, 6, index % 2 == 0)
    }
    for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] { placeRings(row, column, reach: 4, light: [2, 4]) }
    if size > 21 { placeRings(size - 7, size - 7, reach: 2, light: [1]) }
    // Reserves the format, which depends on the mask.
    placeFormat(0)
  }

  /// Places squares around a module; those at the distances `light` are light.
  private mutating func placeRings(_ row: Int, _ column: Int, reach: Int, light: Set<Int>) {
    for down in -reach...reach {
      for right in -reach...reach
      where (0..<size).contains(row + down) && (0..<size).contains(column + right) {
        fix(row + down, column + right, !light.contains(max(abs(down), abs(right))))
      }
    }
  }

  /// Places the format, level L and the mask, twice.
  private mutating func placeFormat(_ mask: Int) {
    let format = 1 << 3 | mask
    var rest = format << 10
    for bit in stride(from: 14, through: 10, by: -1) where rest >> bit & 1 == 1 { rest ^= 0x537 << (bit - 10) }
    let bits = (format << 10 | rest) ^ 0x5412
    for bit in 0..<15 {
      let isDark = bits >> bit & 1 == 1
      let (row, column) = bit < 6 ? (bit, 8) : bit < 8 ? (bit + 1, 8) : bit == 8 ? (8, 7) : (8, 14 - bit)
      fix(row, column, isDark)
      if bit < 8 { fix(8, size - 1 - bit, isDark) } else { fix(size - 15 + bit, 8, isDark) }
    }
    fix(size - 8, 8, true)
  }

  /// Places data in columns of two from the right, alternately upwards and downwards.
  private mutating func place(_ codewords: [UInt8]) {
    var bit = 0
    var isUpward = true
    for right in stride(from: size - 1, to: 0, by: -2).map({ $0 <= 6 ? $0 - 1 : $0 }) where right > 0 {
      for step in 0..<size {
        let row = isUpward ? size - 1 - step : step
        for column in [right, right - 1] where !isFixed[row * size + column] {
          if bit < 8 * codewords.count {
            modules[row * size + column] = codewords[bit / 8] >> (7 - bit % 8) & 1 == 1
          }
          bit += 1
        }
      }
      isUpward.toggle()
    }
  }
}

/// Masks, and the choice of the best one (§7.8).
extension QRCode {
  private func masked(_ mask: Int) -> QRCode {
    var code = self
    for row in 0..<size {
      for column in 0..<size where !isFixed[row * size + column] && Self.flips(mask, row, column) {
        code.modules[row * size + column].toggle()
      }
    }
    code.placeFormat(mask)
    return code
  }

  private static func flips(_ mask: Int, _ row: Int, _ column: Int) -> Bool {
    switch mask {
    case 0: (row + column) % 2 == 0
    case 1: row % 2 == 0
    case 2: column % 3 == 0
    case 3: (row + column) % 3 == 0
    case 4: (row / 2 + column / 3) % 2 == 0
    case 5: row * column % 2 + row * column % 3 == 0
    case 6: (row * column % 2 + row * column % 3) % 2 == 0
    default: ((row + column) % 2 + row * column % 3) % 2 == 0
    }
  }

  private var penalty: Int {
    var sum = 0
    for line in 0..<size {
      sum +=
        Self.penalty(of: (0..<size).map { isDark(line, $0) }) + Self.penalty(of: (0..<size).map { isDark($0, line) })
    }
    for row in 1..<size {
      for column in 1..<size {
        let one = isDark(row, column)
        if one == isDark(row - 1, column), one == isDark(row, column - 1), one == isDark(row - 1, column - 1) {
          sum += 3
        }
      }
    }
    let share = 100 * modules.count(where: { $0 }) / modules.count
    return sum + abs(share - 50) / 5 * 10
  }

  /// Runs of five and more, and patterns that look like a finder.
  private static func penalty(of line: [Bool]) -> Int {
    let finder = [true, false, true, true, true, false, true]
    let light = [Bool](repeating: false, count: 4)
    var (sum, run) = (0, 0)
    for index in line.indices {
      run = index > 0 && line[index] == line[index - 1] ? run + 1 : 1
      sum += run == 5 ? 3 : run > 5 ? 1 : 0
      let rest = line[index...].prefix(11)
      if rest.elementsEqual(finder + light) || rest.elementsEqual(light + finder) { sum += 40 }
    }
    return sum
  }
}

/// Error correction over the field of 256 elements generated by 0x11D.
private enum ReedSolomon {
  static func correction(of data: [UInt8], count: Int) -> [UInt8] {
    var divisor = [UInt8](repeating: 0, count: count - 1) + [1]
    var root: UInt8 = 1
    for _ in 0..<count {
      for index in 0..<count {
        divisor[index] = product(divisor[index], root) ^ (index + 1 < count ? divisor[index + 1] : 0)
      }
      root = product(root, 2)
    }
    var rest = [UInt8](repeating: 0, count: count)
    for byte in data {
      let factor = byte ^ rest.removeFirst()
      rest.append(0)
      for index in 0..<count { rest[index] ^= product(divisor[index], factor) }
    }
    return rest
  }

  private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var result = 0
    for bit in stride(from: 7, through: 0, by: -1) {
      result = result << 1 ^ (result >> 7) * 0x11D
      if right >> bit & 1 == 1 { result ^= Int(left) }
    }
    return UInt8(result)
  }
}
