import Base
import Store

/// An opaque token that can be used once. It names its device, so that an answer can be made without a look-up; that the
/// name is true follows from the store's having a hash of the whole.
struct RefreshToken: Equatable {
  let text: String
  let device: DeviceIdentity

  /// A new one.
  init(for device: DeviceIdentity) {
    self.device = device
    var bytes: [UInt8] = []
    for part in [Array(device.run.utf8), Array(device.name.utf8), Cryptography.randomBytes(24)] {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: ".")) }
      // An empty run has an empty text, which must not swallow its dot.
      if part.isEmpty { bytes.append(UInt8(ascii: "-")) } else { Base64URL.append(part, to: &bytes) }
    }
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// One that a client shows; nil when it has not the form of ours.
  init?(text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
    guard parts.count == 3, let run = RefreshToken.name(parts[0]), let name = RefreshToken.name(parts[1]) else {
      return nil
    }
    self.text = text
    device = DeviceIdentity(run: run, name: name)
  }

  /// What the store keeps instead of the token.
  var hash: UUID128 { UUID128(digest: Cryptography.sha256(Array(text.utf8))) }

  private static func name(_ part: [UInt8]) -> String? {
    if part == [UInt8(ascii: "-")] { return "" }
    return Base64URL.decode(part[...]).flatMap { String(validating: $0, as: UTF8.self) }
  }
}

extension UUID128 {
  /// The first half of a SHA-256 digest.
  init(digest: [UInt8]) {
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: word(digest[0..<8]), low: word(digest[8..<16]))
  }
}
