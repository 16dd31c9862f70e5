import COpenSSL
import Glibc
import Support

/// An authority of the test's own, and certificates that it has signed, as files in PEM form.
@safe final class TestCertificates {
  struct Failure: Error {
    let what: String
  }

  let folder: TemporaryFolder
  private let key: OpaquePointer
  private let certificate: OpaquePointer

  init() throws {
    folder = try TemporaryFolder()
    guard let key = unsafe rr_p256_key(),
      let certificate = unsafe rr_x509_issue("test authority", key, -1, 10, nil, nil, nil, nil, nil)
    else { throw Failure(what: "authority") }
    unsafe (self.key, self.certificate) = (key, certificate)
    unsafe try write("authority.pem") { unsafe PEM_write_bio_X509($0, certificate) }
    unsafe try write("authority.key") { unsafe PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
  }

  deinit {
    unsafe X509_free(certificate)
    unsafe EVP_PKEY_free(key)
  }

  var authority: String { folder.file("authority.pem") }

  /// A certificate and its key: `name.pem` and `name.key`. Made again under the same name, it takes the place of the former.
  @discardableResult
  func issue(_ name: String, for names: String = "DNS:localhost,IP:127.0.0.1", days: ClosedRange<Int32> = -1...9) throws
    -> (certificate: String, key: String)
  {
    guard let own = unsafe rr_p256_key() else { throw Failure(what: "key") }
    defer { unsafe EVP_PKEY_free(own) }
    let issued = unsafe rr_x509_issue(
      name, own, days.lowerBound, days.upperBound, "serverAuth,clientAuth", names, nil, certificate, key)
    guard let issued = unsafe issued else { throw Failure(what: "certificate") }
    defer { unsafe X509_free(issued) }
    unsafe try write(name + ".key") { unsafe PEM_write_bio_PrivateKey($0, own, nil, nil, 0, nil, nil) }
    unsafe try write(name + ".pem") { unsafe PEM_write_bio_X509($0, issued) }
    return (folder.file(name + ".pem"), folder.file(name + ".key"))
  }

  private func write(_ name: String, _ write: (OpaquePointer) -> Int32) throws {
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw Failure(what: "memory") }
    defer { unsafe BIO_free(bio) }
    guard unsafe write(bio) == 1 else { throw Failure(what: name) }
    var start: UnsafePointer<UInt8>?
    let count = unsafe rr_bio_contents(bio, &start)
    try folder.write(unsafe Array(UnsafeBufferPointer(start: start, count: count)), to: name)
  }
}
