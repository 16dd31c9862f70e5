internal import COpenSSL
internal import Glibc
internal import Shell

/// A certificate that signs others, with its key.
typealias SigningPair = (certificate: Certificate, key: PrivateKey)

/// A private key on P-256.
@safe
final class PrivateKey {
  let pointer: OpaquePointer

  private init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

  deinit { unsafe EVP_PKEY_free(pointer) }

  static func make() throws(TLSError) -> PrivateKey {
    guard let pointer = unsafe rr_p256_key() else { throw TLSError("OpenSSL cannot make a key: \(TLSError.reason)") }
    return unsafe PrivateKey(pointer)
  }

  /// Reads a key. One that others can read is refused, because it is no longer secret.
  static func read(_ path: String) throws(TLSError) -> PrivateKey? {
    var status = stat()
    if unsafe stat(path, &status) == 0, status.st_mode & 0o077 != 0 {
      throw TLSError("\(path) can be read by others; chmod 600 it, or delete it with its certificate to get new ones")
    }
    let pointer = unsafe try PEMFile.read(path) { unsafe PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in 0 }, nil) }
    return unsafe pointer.map { unsafe PrivateKey($0) }
  }

  var pem: [UInt8] {
    get throws(TLSError) {
      unsafe try PEMFile.bytes { unsafe PEM_write_bio_PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
    }
  }
}

@safe
final class Certificate {
  let pointer: OpaquePointer

  private init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

  /// Shares a certificate that another object owns as well.
  init(sharing pointer: OpaquePointer) {
    unsafe X509_up_ref(pointer)
    unsafe self.pointer = pointer
  }

  deinit { unsafe X509_free(pointer) }

  static func read(_ path: String) throws(TLSError) -> Certificate? {
    let pointer = unsafe try PEMFile.read(path) { unsafe PEM_read_bio_X509($0, nil, nil, nil) }
    return unsafe pointer.map { unsafe Certificate($0) }
  }

  /// Issues a certificate; without an issuer, an authority's own. Valid from a day ago, for clocks that are behind.
  static func issue(
    _ name: String, for key: PrivateKey, days: Int32, _ alternatives: String?, by issuer: SigningPair?
  ) throws(TLSError) -> Certificate {
    unsafe try made(
      rr_x509_issue(
        name, key.pointer, -1, days - 1, "serverAuth", alternatives, nil, issuer?.certificate.pointer,
        issuer?.key.pointer))
  }

  /// Issues a certificate for the names of another one, or for these, between two days counted from now.
  static func issue(
    like model: Certificate, for key: PrivateKey, days: ClosedRange<Int32>, _ alternatives: String?,
    by issuer: SigningPair
  ) throws(TLSError) -> Certificate {
    unsafe try made(
      rr_x509_issue(
        "Rolling Road", key.pointer, days.lowerBound, days.upperBound, "serverAuth", alternatives, model.pointer,
        issuer.certificate.pointer, issuer.key.pointer))
  }

  private static func made(_ pointer: OpaquePointer?) throws(TLSError) -> Certificate {
    guard let pointer = unsafe pointer else { throw TLSError("OpenSSL cannot make a certificate: \(TLSError.reason)") }
    return unsafe Certificate(pointer)
  }

  var secondsLeft: Int { unsafe TLSExpiry(of: pointer).secondsLeft }

  func isSigned(by authority: Certificate) -> Bool {
    unsafe X509_verify(pointer, X509_get0_pubkey(authority.pointer)) == 1
  }

  func belongs(to key: PrivateKey) -> Bool { unsafe X509_check_private_key(pointer, key.pointer) == 1 }

  /// Returns whether it has the same names, and another kind of key: clients can be offered both.
  func isAlternative(to other: Certificate) -> Bool { unsafe rr_x509_are_alternatives(pointer, other.pointer) == 1 }

  /// Returns whether the certificate is for this name; a name with an asterisk matches as a wildcard.
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

/// Reads and writes PEM files with OpenSSL.
enum PEMFile {
  /// Returns nil when there is no such file.
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
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw TLSError("out of memory") }
    defer { unsafe BIO_free(bio) }
    guard unsafe write(bio) == 1 else { throw TLSError("OpenSSL cannot write the file: \(TLSError.reason)") }
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
