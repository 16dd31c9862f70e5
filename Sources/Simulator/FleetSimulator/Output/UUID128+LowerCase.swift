import Base

extension UUID128 {
  var lowerCaseText: String {
    var bytes: [UInt8] = []
    append(lowerCaseTextTo: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
