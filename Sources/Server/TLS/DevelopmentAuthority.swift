internal import COpenSSL
internal import Glibc
internal import Shell

/// An authority of one folder, and the certificate of its server: for phones that refuse plain HTTP, where no public
/// authority would sign (an address of a private network, `localhost`).
package struct DevelopmentAuthority: Sendable {
  let folder: String
  private let names: [String]

  /// In a folder for the public: what may be read by all.
  package var authorityFile: String { folder + "/authority.pem" }
  private var authorityKeyFile: String { folder + "/authority.key" }
  package var files: TLSFiles { TLSFiles(certificate: folder + "/server.pem", key: folder + "/server.key") }

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

  private func issueCertificate(_ authority: (certificate: Certificate, key: Key)) throws(TLSError) {
    let key = try Key.make()
    let certificate = try Certificate.issue(
      "Rolling Road", for: key, days: DevelopmentAuthority.serverDays, alternatives, by: authority)
    try PEMFile.write(try key.pem, to: files.key, mode: 0o600)
    try PEMFile.write(try certificate.pem, to: files.certificate, mode: 0o644)
  }

  /// Nil when both files are missing. A new one in the place of half of one would not be trusted where the old one is.
  private func existingAuthority() throws(TLSError) -> (certificate: Certificate, key: Key)? {
    switch (try Certificate.read(authorityFile), try Key.read(authorityKeyFile)) {
    case (nil, nil): return nil
    case (let certificate?, let key?):
      guard certificate.belongs(to: key) else {
        throw TLSError("\(authorityKeyFile) is not the key of \(authorityFile); \(DevelopmentAuthority.repair)")
      }
      return (certificate, key)
    case (_?, nil):
      throw TLSError("\(authorityFile) is there without \(authorityKeyFile); \(DevelopmentAuthority.repair)")
    case (nil, _?):
      throw TLSError("\(authorityKeyFile) is there without \(authorityFile); \(DevelopmentAuthority.repair)")
    }
  }

  private static let repair =
    "restore the pair, or delete both to get a new authority, which clients must be made to trust again"

  private func makeAuthority() throws(TLSError) -> (certificate: Certificate, key: Key) {
    let key = try Key.make()
    let certificate = try Certificate.issue(
      "Rolling Road development authority", for: key, days: DevelopmentAuthority.authorityDays, nil, by: nil)
    try PEMFile.write(try key.pem, to: authorityKeyFile, mode: 0o600)
    try PEMFile.write(try certificate.pem, to: authorityFile, mode: 0o644)
    return (certificate, key)
  }

  private func isCurrent(under authority: Certificate) throws(TLSError) -> Bool {
    guard let certificate = try Certificate.read(files.certificate), let key = try Key.read(files.key) else {
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

/// A private key on P-256.
@safe
private final class Key {
  let pointer: OpaquePointer

  private init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

  deinit { unsafe EVP_PKEY_free(pointer) }

  static func make() throws(TLSError) -> Key {
    guard let pointer = unsafe rr_p256_key() else { throw TLSError("OpenSSL makes no key: \(TLSError.reason)") }
    return unsafe Key(pointer)
  }

  /// One that others can read is no secret any more.
  static func read(_ path: String) throws(TLSError) -> Key? {
    var status = stat()
    if unsafe stat(path, &status) == 0, status.st_mode & 0o077 != 0 {
      throw TLSError("\(path) can be read by others; chmod 600 it, or delete it with its certificate to get new ones")
    }
    let pointer = unsafe try PEMFile.read(path) { unsafe PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in 0 }, nil) }
    return unsafe pointer.map { unsafe Key($0) }
  }

  var pem: [UInt8] {
    get throws(TLSError) {
      unsafe try PEMFile.bytes { unsafe PEM_write_bio_PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
    }
  }
}

@safe
private final class Certificate {
  let pointer: OpaquePointer

  private init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

  deinit { unsafe X509_free(pointer) }

  static func read(_ path: String) throws(TLSError) -> Certificate? {
    let pointer = unsafe try PEMFile.read(path) { unsafe PEM_read_bio_X509($0, nil, nil, nil) }
    return unsafe pointer.map { unsafe Certificate($0) }
  }

  /// Without an issuer, an authority's own. From a day ago, for clocks that are behind.
  static func issue(
    _ name: String, for key: Key, days: Int32, _ alternatives: String?, by issuer: (certificate: Certificate, key: Key)?
  ) throws(TLSError) -> Certificate {
    let pointer = unsafe rr_x509_issue(
      name, key.pointer, -1, days - 1, "serverAuth", alternatives, issuer?.certificate.pointer, issuer?.key.pointer)
    guard let pointer = unsafe pointer else { throw TLSError("OpenSSL makes no certificate: \(TLSError.reason)") }
    return unsafe Certificate(pointer)
  }

  var secondsLeft: Int { unsafe TLSExpiry(of: pointer).secondsLeft }

  func isSigned(by authority: Certificate) -> Bool {
    unsafe X509_verify(pointer, X509_get0_pubkey(authority.pointer)) == 1
  }

  func belongs(to key: Key) -> Bool { unsafe X509_check_private_key(pointer, key.pointer) == 1 }

  /// A name with an asterisk is one that it stands for.
  func names(_ name: String) -> Bool {
    if Certificate.isAddress(name) { return unsafe X509_check_ip_asc(pointer, name, 0) == 1 }
    let host = name.hasPrefix("*") ? "any" + name.dropFirst() : name
    return unsafe X509_check_host(pointer, host, host.utf8.count, 0, nil) == 1
  }

  static func isAddress(_ name: String) -> Bool {
    let address = unsafe a2i_IPADDRESS(name)
    defer { unsafe ASN1_OCTET_STRING_free(address) }
    return unsafe address != nil
  }

  var pem: [UInt8] {
    get throws(TLSError) { unsafe try PEMFile.bytes { unsafe PEM_write_bio_X509($0, pointer) } }
  }

  var der: [UInt8] {
    get throws(TLSError) { unsafe try PEMFile.bytes { unsafe i2d_X509_bio($0, pointer) } }
  }
}

/// What OpenSSL reads from files and writes into memory.
enum PEMFile {
  /// Nil when there is no such file.
  static func read(_ path: String, _ parse: (OpaquePointer) -> OpaquePointer?) throws(TLSError) -> OpaquePointer? {
    guard unsafe access(path, F_OK) == 0 else { return nil }
    ERR_clear_error()
    guard let bio = unsafe BIO_new_file(path, "r") else { throw TLSError("cannot read \(path): \(TLSError.reason)") }
    defer { unsafe BIO_free(bio) }
    guard let parsed = unsafe parse(bio) else {
      throw TLSError("\(path) is damaged (\(TLSError.reason)); delete it to get a new one")
    }
    return unsafe parsed
  }

  static func bytes(_ write: (OpaquePointer) -> Int32) throws(TLSError) -> [UInt8] {
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw TLSError("memory has run out") }
    defer { unsafe BIO_free(bio) }
    guard unsafe write(bio) == 1 else { throw TLSError("OpenSSL writes no file: \(TLSError.reason)") }
    var start: UnsafePointer<UInt8>?
    let count = unsafe rr_bio_contents(bio, &start)
    return unsafe Array(UnsafeBufferPointer(start: start, count: count))
  }

  static func write(_ bytes: [UInt8], to path: String, mode: mode_t) throws(TLSError) {
    do throws(WholeFile.Failure) { try WholeFile.write(bytes, to: path, mode: mode) } catch {
      throw TLSError("cannot write \(error.path): \(error.reason)")
    }
  }

  static func failure(_ what: String, _ path: String) -> TLSError {
    unsafe TLSError("\(what) \(path): \(String(cString: strerror(errno)))")
  }
}
