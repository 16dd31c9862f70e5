import Contract
import HTTP1
import Network
import Store
package import TLS

/// The TLS settings of a server.
public struct TLSSettings: Sendable {
  /// The source of the certificate.
  public enum Certificate: Sendable, Equatable {
    /// Files that are read again when they change. A client gets the first pair that matches the requested name, or the first
    /// of all. At least one pair is required.
    case files([KeyPair])
    /// A certificate for these names and addresses, made by the server and signed by an authority in the data folder.
    case development(names: [String])

    /// One pair, for all clients.
    public static func files(certificate: String, key: String) -> Certificate {
      .files([KeyPair(certificate: certificate, key: key)])
    }
  }

  /// A certificate with its chain, and its key, as files in PEM form.
  public struct KeyPair: Sendable, Equatable {
    /// The file with the certificate.
    public let certificate: String
    /// The file with its key.
    public let key: String

    /// Creates a pair from these files.
    public init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }
  }

  /// The address to listen on.
  public var listen = "127.0.0.1:8443"
  /// The source of the certificate.
  public var certificate: Certificate
  /// A file with the authorities that sign client certificates; nil to request no certificates.
  public var clientAuthorities: String?
  /// The paths that require a client certificate; nil for none.
  public var certificatesFor: CertificateScope?

  /// Uses the default address and requests no client certificates.
  public init(_ certificate: Certificate) { self.certificate = certificate }
}

extension TLSSettings {
  /// Throws when the address is taken or the files cannot be used, before anything is created. Files of the development
  /// authority need not exist yet.
  func check() throws(ServerError) {
    do throws(NetworkError) { try ListenAddress(parsing: listen).refuseWhenTaken() } catch { throw ServerError(error) }
    guard case .files(let pairs) = certificate else { return }
    do throws(TLSError) { try files(pairs).check() } catch { throw ServerError(configuration: error.description) }
  }

  /// Opens the files. The development authority is kept in `folder`.
  func listening(
    in folder: String?, applying faults: any HandshakeFaultSource,
    notify: @escaping @Sendable (ServerNotice) -> Void
  ) throws(ServerError) -> SecureListening {
    do {
      let address = try ListenAddress(parsing: listen)
      return SecureListening(
        address, try identity(in: folder) { notify(.tls($0)) }, plainAnswer: TLSSettings.plainAnswer, faults: faults)
    } catch let error as ServerError {
      throw error
    } catch let error as NetworkError {
      throw ServerError(error)
    } catch {
      throw ServerError(configuration: "\(error)")
    }
  }

  /// Returns the development authority; nil when there is none.
  func authority(in folder: String?) -> DevelopmentAuthority? {
    guard case .development(let names) = certificate, let folder else { return nil }
    return .development(in: folder, names: names)
  }

  private func files(_ pairs: [KeyPair]) -> TLSFiles {
    TLSFiles(
      pairs.map { TLSFiles.Pair(certificate: $0.certificate, key: $0.key) }, clientAuthorities: clientAuthorities)
  }

  private func identity(
    in folder: String?, notify: @escaping @Sendable (TLSIdentity.Notice) -> Void
  ) throws -> TLSIdentity {
    switch certificate {
    case .files(let pairs): return try TLSIdentity(files(pairs), notify: notify)
    case .development:
      guard let authority = authority(in: folder) else {
        throw ServerError(
          configuration: "--tls development needs a folder for its authority; "
            + "name one with --data instead of :memory:, or with --node-data beside a database")
      }
      return try TLSIdentity(authority, clientAuthorities: clientAuthorities, notify: notify)
    }
  }

  /// The answer to a client that speaks plain HTTP on the TLS port.
  private static var plainAnswer: [UInt8] {
    let text = "this port requires TLS: use https:// instead of http://\n"
    var bytes: [UInt8] = []
    ResponseWriter.statusLine(400, into: &bytes)
    HeadWriter.field(HeaderName.contentType, "text/plain; charset=utf-8", into: &bytes)
    HeadWriter.contentLength(text.utf8.count, into: &bytes)
    HeadWriter.field(HeaderName.connection, "close", into: &bytes)
    HeadWriter.end(into: &bytes)
    return bytes + text.utf8
  }
}

extension DevelopmentAuthority {
  /// Returns the development authority of a data folder.
  package static func development(in folder: String, names: [String] = []) -> DevelopmentAuthority {
    DevelopmentAuthority(in: folder + "/tls", names: names)
  }
}
