package import Base
internal import COpenSSL

/// The fault of one handshake.
package enum HandshakeFault: Equatable, Sendable {
  case certificate(CertificateFault)
  /// The connection is reset after the client's first message.
  case cut
  /// The server waits for this long, then continues.
  case slow(Nanoseconds)
}

/// The single fault of the certificate that a client is shown: names, authority and validity are otherwise those of the
/// server's own.
package enum CertificateFault: String, CaseIterable, Sendable {
  case expired
  case notYetValid
  /// Issued for the name `wrong.invalid` (RFC 2606 §2).
  case wrongHost
  /// Signed by an authority that is made for it, and that no client knows.
  case unknownAuthority
  /// Valid, but with an OCSP response that it has been revoked, if the client asks (RFC 6066 §8).
  case revoked
  /// Valid, but with another key, as a client sees it that has pinned the first.
  case changed

  /// Whether the authority of the server's own certificate must sign it.
  package var needsAuthority: Bool { self != .unknownAuthority }
}

/// A context for each fault, created on first use.
struct FaultyContexts {
  private var contexts: [CertificateFault: TLSContext] = [:]

  /// `own` is the server's own context. Returns nil when the fault needs an authority and there is none.
  mutating func context(
    _ fault: CertificateFault, besides own: TLSContext, of authority: DevelopmentAuthority?
  ) throws(TLSError) -> TLSContext? {
    if let context = contexts[fault] { return context }
    guard let signer = fault.needsAuthority ? try authority?.signer() : try FaultyContexts.stranger(),
      let model = own.certificate
    else { return nil }
    let key = try PrivateKey.make()
    let certificate = try Certificate.issue(
      like: model, for: key, days: fault.days, fault == .wrongHost ? "DNS:wrong.invalid" : nil, by: signer)
    let staple = fault == .revoked ? try Staple(revoking: certificate, by: signer) : nil
    let context = try TLSContext(certificate, key, staple)
    try context.askForCertificates(like: own)
    contexts[fault] = context
    return context
  }

  private static func stranger() throws(TLSError) -> SigningPair {
    let key = try PrivateKey.make()
    return (try Certificate.issue("an unknown authority", for: key, days: 397, nil, by: nil), key)
  }
}

extension CertificateFault {
  fileprivate var days: ClosedRange<Int32> {
    switch self {
    case .expired: -31 ... -1
    case .notYetValid: 1...31
    case .wrongHost, .unknownAuthority, .revoked, .changed: -1...396
    }
  }
}

/// An authority's OCSP response that a certificate is revoked.
@safe
final class Staple {
  let pointer: UnsafeMutablePointer<rr_staple>
  let signer: Certificate

  init(revoking certificate: Certificate, by signer: SigningPair) throws(TLSError) {
    self.signer = signer.certificate
    unsafe pointer = .allocate(capacity: 1)
    unsafe pointer.initialize(to: rr_staple())
    unsafe pointer.pointee.length = rr_ocsp_revoked(
      certificate.pointer, signer.certificate.pointer, signer.key.pointer, &pointer.pointee.bytes)
    guard unsafe pointer.pointee.length > 0 else {
      throw TLSError("OpenSSL cannot make an OCSP response: \(TLSError.reason)")
    }
  }

  deinit {
    unsafe rr_staple_free(pointer)
    unsafe pointer.deallocate()
  }
}
