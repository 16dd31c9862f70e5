import Base
import TLS

/// Makes a phone trust the development authority: a page with a QR code, and the files that the phone downloads from it.
struct TrustPage: Sendable {
  let authority: DevelopmentAuthority

  static let name = "trust.html"

  /// Returns nil for another file, and when there is no authority. `origin` is the origin of the request.
  func answer(_ file: String, at origin: String) -> Response? {
    do throws(TLSError) {
      switch file {
      case Self.name:
        return try authority.fingerprint().map {
          Response(200, "text/html; charset=utf-8", Array(page(origin, $0).utf8))
        }
      case DevelopmentAuthority.profileName:
        return try authority.profile().map { Response(200, "application/x-apple-aspen-config", $0) }
      case DevelopmentAuthority.authorityName:
        return try authority.certificateText().map { Response(200, "application/x-x509-ca-cert", $0) }
      default: return nil
      }
    } catch {
      return .error(500, "authority_unreadable", "\(error)")
    }
  }

  private func page(_ origin: String, _ fingerprint: String) -> String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Trust this server</title>
    <link rel="stylesheet" href="trust.css">
    </head>
    <body>
    <h1>Trust this server</h1>
    \(code(origin + "/page/" + Self.name))
    <h2>iOS</h2>
    <ol>
    <li><a href="\(DevelopmentAuthority.profileName)">Download the profile</a> with Safari.</li>
    <li>\(XML.escaped("Settings > General > VPN & Device Management")): install it.</li>
    <li>\(XML.escaped("Settings > General > About > Certificate Trust Settings")): switch the authority on.</li>
    </ol>
    <h2>Android</h2>
    <p><a href="\(DevelopmentAuthority.authorityName)">The certificate</a> goes into the app as a \
    raw resource: <code>rollingroad trust</code> says how.</p>
    <p>Use it for test devices, and remove it from them after the test. SHA-256 of the authority:</p>
    <p><code>\(fingerprint)</code></p>
    </body>
    </html>

    """
  }

  /// Omits the code for a loopback address, which would lead a phone to itself.
  private func code(_ url: String) -> String {
    let isOwn = ["localhost", "127.", "[::1]"].contains { url.contains("//" + $0) }
    guard !isOwn, let code = QRCode(Array(url.utf8)) else {
      return
        "<p>Open this page under an address at which the phone reaches this machine: then it has a code for the camera.</p>"
    }
    return """
      <p>The camera of a phone reads this code, which leads to this page.</p>
      <p>\(code.svg)</p>
      """
  }
}

extension QRCode {
  /// Includes the required margin of four light modules (§9.1).
  var svg: String {
    var path = ""
    for row in 0..<size {
      for column in 0..<size where isDark(row, column) { path += "M\(column + 4) \(row + 4)h1v1h-1z" }
    }
    return #"<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256" viewBox="0 0 \#(size + 8) \#(size + 8)" "#
      + ##"role="img" aria-label="QR code of this page"><path fill="#fff" d="M0 0h\##(size + 8)v\##(size + 8)H0z"/><path d="\##(path)"/></svg>"##
  }
}
