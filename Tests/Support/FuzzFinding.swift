/// An input on which a parser did not do what it should, with all that is needed to see it again.
package struct FuzzFinding: Error, CustomStringConvertible {
  package let seed: UInt64
  package let iteration: Int
  package let input: [UInt8]
  package let complaint: String

  package init(seed: UInt64, iteration: Int, input: [UInt8], complaint: String) {
    self.seed = seed
    self.iteration = iteration
    self.input = input
    self.complaint = complaint
  }

  package var description: String {
    """
    \(complaint)
    seed \(seed) iteration \(iteration)
    hex \(Self.hex(input))
    base64 \(Self.base64(input))
    """
  }

  package static func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
  }

  package static func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var output: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for index in 0..<4 {
        output.append(index <= group.count ? alphabet[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}
