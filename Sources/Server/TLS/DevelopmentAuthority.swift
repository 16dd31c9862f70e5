internal import COpenSSL
internal import Glibc

/// An authority of one folder, and the certificate of its server: for phones that refuse plain HTTP, where no public
/// authority would sign (an address of a private network, `localhost`).
package struct DevelopmentAuthority: Sendable {
  let folder: String
  private let names: [String]

  /// In a folder for the public: what may be read by all.
  package var authorityFile: String { folder + "/authority.pem" }
  private var authorityKeyFile: String { folder + "/authority.key" }
  package var files: TLSFiles { TLSFiles([server]) }
  private var server: TLSFiles.Pair { TLSFiles.Pair(certificate: folder + "/server.pem", key: folder + "/server.key") }

  /// iOS refuses certificates of servers that are valid for longer than 398 days, also those of authorities that a user has
  /// added when they are longer than 825 (https://support.apple.com/HT211025, HT210176).
  private static let serverDays: Int32 = 397
  private static let authorityDays: Int32 = 3_650
  /// Renewed when less is left.
  package static let renewalSeconds = 30 * 86_400
  /// What every server is called on its own machine.
  private static let ownNames = ["localhost", "127.0.0.1", "::1"]

  /// For a server with these names and addresses besides those of its own machine.
  package init(in folder: String, names: [String]) {
    self.folder = folder
    self.names = DevelopmentAuthority.ownNames + names.filter { !DevelopmentAuthority.ownNames.contains($0) }
  }

  /// Makes what is missing: the authority once, the server's certificate also when it is about to end, is not of this
  /// authority, or lacks a name. Says whether the authority is a new one, which no client trusts yet.
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

  /// Nil when both files are missing. A new one in the place of half of one would not be trusted where the old one is.
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

  /// What signs; nil when the folder has no authority.
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

  /// What is wrong with a name; nil when nothing is.
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
  /// The authority's own, in DER. Nil when the folder has none.
  func certificate() throws(TLSError) -> [UInt8]? {
    guard let certificate = try Certificate.read(authorityFile) else { return nil }
    return try certificate.der
  }
}
