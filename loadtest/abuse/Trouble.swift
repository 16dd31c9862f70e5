import Glibc

/// Something that the measurement itself needs and does not get.
struct Trouble: Error, CustomStringConvertible {
  let description: String

  init(_ what: String) { description = what }

  init(_ call: String, _ code: Int32) { description = unsafe "\(call): \(String(cString: strerror(code)))" }
}
