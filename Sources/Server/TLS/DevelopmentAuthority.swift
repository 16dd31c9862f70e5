internal import COpenSSL
internal import Glibc

/// A certificate authority in a folder, and the certificate of its server: for phones that refuse plain HTTP, where no public
/// authority would sign (an address of a private network, `localhost`).
package struct DevelopmentAuthority: Sendable {
  let folder: String
  private let names: [String]

  /// The authority's certificate, which anyone may read.
  package var authorityFile: String { folder + "/authority.pem" }
  private var authorityKeyFile: String { folder + "/authority.key" }
  package var files: TLSFiles { TLSFiles([server]) }
  private var server: TLSFiles.Pair { TLSFiles.Pair(certificate: folder + "/server.pem", key: folder + "/server.key") }

  /// iOS refuses server certificates that are valid for longer than 398 days, or 825 for those of authorities that a user has
  /// added (https://support.apple.com/HT211025, HT210176).
  private static let serverDays: Int32 = 397
  private static let authorityDays: Int32 = 3_650
  /// The remaining validity below which the certificate is renewed.
  package static let renewalSeconds = 30 * 86_400
  /// The names of every server on its own machine.
  private static let ownNames = ["localhost", "127.0.0.1", "::1"]

  /// For a server with these names and addresses in addition to those of its own machine.
  package init(in folder: String, names: [String]) {
    self.folder = folder
    self.names = DevelopmentAuthority.ownNames + names.filter { !DevelopmentAuthority.ownNames.contains($0) }
  }

  /// Creates what is missing: the authority once; the server's certificate also when it is about to expire, was signed by
  /// another authority, or lacks a name. Returns whether the authority is new, so that no client trusts it yet.
  @discardableResult
  package func prepare() throws(TLSError) -> Bool {
    if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST { throw PEMFile.failure("cannot make", folder) }
    let existing = try existingAuthority()
    let authority = if let existing { existing } else { try makeAuthority() }
    if try !isCurrent(under: authority.certificate) { try issueCertificate(authority) }
    return existing == nil
  }

  private func issueCertificate(_ authority: SigningPair) throws(TLSError) {
    let key = try PrivateKey.make()
    let certificate = try Certificate.issue(
      "Rolling Road", for: key, days: DevelopmentAuthority.serverDays, alternatives, by: authority)
    try PEMFile.write(try key.pem, to: server.key, mode: 0o600)
    try PEMFile.write(try certificate.pem, to: server.certificate, mode: 0o644)
  }

  /// Returns nil when both files are missing. If one is missing, it throws: a new authority would not be trusted where the old
  /// one is.
  private func existingAuthority() throws(TLSError) -> SigningPair? {
    switch (try Certificate.read(authorityFile), try PrivateKey.read(authorityKeyFile)) {
    case (nil, nil): return nil
    case (let certificate?, let key?):
      guard certificate.belongs(to: key) else {
        throw TLSError("\(authorityKeyFile) is not the key of \(authorityFile); \(DevelopmentAuthority.repair)")
      }
      return (certificate, key)
    case (_?, nil):
      throw TLSError("\(authorityFile) exists, but \(authorityKeyFile) is missing; \(DevelopmentAuthority.repair)")
    case (nil, _?):
      throw TLSError("\(authorityKeyFile) exists, but \(authorityFile) is missing; \(DevelopmentAuthority.repair)")
    }
  }

  /// Returns the signing pair; nil when the folder has no authority.
  func signer() throws(TLSError) -> SigningPair? { try existingAuthority() }

  private static let repair =
    "restore the pair, or delete both to get a new authority, which clients must be made to trust again"

  private func makeAuthority() throws(TLSError) -> SigningPair {
    let key = try PrivateKey.make()
    let certificate = try Certificate.issue(
      "Rolling Road development authority", for: key, days: DevelopmentAuthority.authorityDays, nil, by: nil)
    try PEMFile.write(try key.pem, to: authorityKeyFile, mode: 0o600)
    try PEMFile.write(try certificate.pem, to: authorityFile, mode: 0o644)
    return (certificate, key)
  }

  private func isCurrent(under authority: Certificate) throws(TLSError) -> Bool {
    guard let certificate = try Certificate.read(server.certificate), let key = try PrivateKey.read(server.key) else {
      return false
    }
    return certificate.secondsLeft > DevelopmentAuthority.renewalSeconds && certificate.isSigned(by: authority)
      && certificate.belongs(to: key)
      && names.allSatisfy { certificate.names($0) }
  }

  private var alternatives: String {
    names.map { (Certificate.isAddress($0) ? "IP:" : "DNS:") + $0 }.joined(separator: ",")
  }

  /// Returns what is wrong with a name; nil when nothing is.
  package static func problem(of name: String) -> String? {
    if Certificate.isAddress(name) { return nil }
    let isName = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "*"):
        true
      default: false
      }
    }
    return isName && !name.isEmpty ? nil : "'\(name)' is neither a host name nor an address"
  }
}

extension DevelopmentAuthority {
  /// Returns the authority's certificate, in DER; nil when the folder has none.
  func certificate() throws(TLSError) -> [UInt8]? {
    guard let certificate = try Certificate.read(authorityFile) else { return nil }
    return try certificate.der
  }
}
