/// `application/x-www-form-urlencoded`, as the URL standard of the WHATWG defines it in §5.
package enum FormEncoding {
  package static func encode(_ fields: [NameValuePair]) -> [UInt8] {
    var bytes: [UInt8] = []
    for field in fields {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
      append(field.name, to: &bytes)
      bytes.append(UInt8(ascii: "="))
      append(field.value, to: &bytes)
    }
    return bytes
  }

  /// Never fails: a `%` without two hexadecimal digits stands for itself, and bytes that are no UTF-8 become U+FFFD.
  package static func decode(_ bytes: Span<UInt8>) -> [NameValuePair] {
    var fields: [NameValuePair] = []
    var name: [UInt8] = []
    var value: [UInt8] = []
    var isInValue = false
    var index = 0
    func finishField() -> NameValuePair? {
      name.isEmpty && !isInValue
        ? nil : NameValuePair(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }
    while index < bytes.count {
      var byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "&"):
        if let field = finishField() { fields.append(field) }
        name.removeAll(keepingCapacity: true)
        value.removeAll(keepingCapacity: true)
        isInValue = false
        continue
      case UInt8(ascii: "=") where !isInValue:
        isInValue = true
        continue
      case UInt8(ascii: "+"): byte = UInt8(ascii: " ")
      case UInt8(ascii: "%"):
        if index + 1 < bytes.count, let high = hexadecimal(bytes[index]), let low = hexadecimal(bytes[index + 1]) {
          byte = high << 4 | low
          index += 2
        }
      default: break
      }
      if isInValue { value.append(byte) } else { name.append(byte) }
    }
    if let field = finishField() { fields.append(field) }
    return fields
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"):
        bytes.append(byte)
      case UInt8(ascii: " "): bytes.append(UInt8(ascii: "+"))
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
