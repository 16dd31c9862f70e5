internal import Base
internal import COpenSSL

/// Files that make other systems trust a development authority: a profile for iOS, a configuration for Android.
extension DevelopmentAuthority {
  /// The paths of these files.
  package var profileFile: String { folder + "/" + Self.profileName }
  package var androidFile: String { folder + "/network_security_config.xml" }

  /// The file names for downloads to phones.
  package static let profileName = "rollingroad.mobileconfig"
  package static let authorityName = "rollingroad_authority.pem"

  /// Writes both files, and returns the fingerprint of the authority, which a person can compare with the one on a phone. Nil
  /// when the folder has no authority.
  package func writeTrustFiles() throws(TLSError) -> String? {
    guard let profile = try profile() else { return nil }
    try PEMFile.write(profile, to: profileFile, mode: 0o644)
    try PEMFile.write(Array(DevelopmentAuthority.androidConfiguration.utf8), to: androidFile, mode: 0o644)
    return try fingerprint()
  }

  package func fingerprint() throws(TLSError) -> String? {
    try certificate().map { DevelopmentAuthority.digest($0).map(hexadecimal).joined(separator: ":") }
  }

  /// Returns the profile for iOS.
  package func profile() throws(TLSError) -> [UInt8]? {
    try certificate().map { Array(profile($0, DevelopmentAuthority.digest($0)).utf8) }
  }

  /// Returns the authority's certificate, in PEM.
  package func certificateText() throws(TLSError) -> [UInt8]? { try Certificate.read(authorityFile)?.pem }

  private static func digest(_ der: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(rr_sha256_length))
    let done = unsafe der.withUnsafeBytes { unsafe rr_sha256($0.baseAddress, $0.count, &digest) }
    precondition(done == 1, "OpenSSL cannot compute a digest")
    return digest
  }

  /// https://developer.apple.com/documentation/devicemanagement/certificateroot. The identifiers are derived from the
  /// certificate: installed again, the profile replaces the previous one.
  private func profile(_ der: [UInt8], _ digest: [UInt8]) -> String {
    let (inner, outer) = (identifier(digest[..<16]), identifier(digest[16...]))
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
        <key>PayloadContent</key>
        <array>
          <dict>
            <key>PayloadCertificateFileName</key><string>authority.cer</string>
            <key>PayloadContent</key><data>\(Base64.text(der))</data>
            <key>PayloadDisplayName</key><string>Rolling Road development authority</string>
            <key>PayloadIdentifier</key><string>rollingroad.authority.\(inner)</string>
            <key>PayloadType</key><string>com.apple.security.root</string>
            <key>PayloadUUID</key><string>\(inner)</string>
            <key>PayloadVersion</key><integer>1</integer>
          </dict>
        </array>
        <key>PayloadDescription</key><string>Trusts the test server of Rolling Road. Remove it after the test.</string>
        <key>PayloadDisplayName</key><string>Rolling Road</string>
        <key>PayloadIdentifier</key><string>rollingroad.profile.\(outer)</string>
        <key>PayloadType</key><string>Configuration</string>
        <key>PayloadUUID</key><string>\(outer)</string>
        <key>PayloadVersion</key><integer>1</integer>
      </dict>
      </plist>

      """
  }

  /// https://developer.android.com/privacy-and-security/security-config: added to the system's authorities, in debug builds
  /// only.
  private static let androidConfiguration = """
    <?xml version="1.0" encoding="utf-8"?>
    <network-security-config>
      <debug-overrides>
        <trust-anchors>
          <certificates src="@raw/rollingroad_authority" />
        </trust-anchors>
      </debug-overrides>
    </network-security-config>

    """

  /// Formats sixteen bytes as a UUID (RFC 9562 §4).
  private func identifier(_ bytes: ArraySlice<UInt8>) -> String {
    let letters = bytes.map(hexadecimal).joined()
    var rest = letters[...]
    return [8, 4, 4, 4, 12].map { length in
      defer { rest = rest.dropFirst(length) }
      return String(rest.prefix(length))
    }.joined(separator: "-")
  }
}

private func hexadecimal(_ byte: UInt8) -> String {
  let text = String(byte, radix: 16, uppercase: true)
  return text.count == 1 ? "0" + text : text
}
