package import Base
import Contract
import HTTP1
import Network

/// The server that a proxy forwards requests to: `http://host:port/path`.
package struct UpstreamTarget: Sendable {
  /// The error in the text, and its remedy.
  package struct Problem: Error {
    package let description: String
  }

  /// The URL as given, without a trailing slash.
  package let url: String
  /// `host` or `host:port`, for the Host field.
  let authority: [UInt8]
  let host: String
  let port: UInt16
  /// The prefix of each path; may be empty.
  let prefix: [UInt8]

  package init(parsing text: String) throws(Problem) {
    if text.lowercased().hasPrefix("https://") {
      throw Problem(
        description:
          "TLS to the upstream is not supported; use its http:// address, or put a program that speaks TLS between them (stunnel, nginx)"
      )
    }
    let scheme = "http://"
    guard text.lowercased().hasPrefix(scheme) else {
      throw Problem(description: "the upstream must be a URL such as http://127.0.0.1:3000, not \"\(text)\"")
    }
    let rest = text.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    var path = rest[authority.endIndex...]
    guard !path.contains("?"), !path.contains("#") else {
      throw Problem(description: "the upstream must be a URL without a query, not \"\(text)\"")
    }
    while path.hasSuffix("/") { path = path.dropLast() }
    guard !authority.contains("@") else {
      throw Problem(description: "the upstream must be a URL such as http://127.0.0.1:3000, not \"\(text)\"")
    }
    if let character = RequestWriter.characterOutsideTargets(in: path) {
      throw Problem(
        description: "a URL cannot have \"\(character)\" in its path: escape it in \"\(text)\" (\"%3C\" for \"<\")")
    }
    let (host, port) = try UpstreamTarget.split(authority, of: text)
    (self.host, self.port) = (host, port)
    self.authority = Array(authority.utf8)
    prefix = Array(path.utf8)
    url = scheme + authority + path
  }

  /// Returns host and port; an IPv6 address is in brackets.
  private static func split(_ authority: Substring, of text: String) throws(Problem) -> (String, UInt16) {
    do throws(HostAndPort.Problem) {
      let place = try HostAndPort(authority)
      return (String(place.host), place.port ?? 80)
    } catch .host {
      throw Problem(description: "\"\(text)\" has no host, or an IPv6 address without brackets")
    } catch {
      throw Problem(description: "the port in \"\(text)\" must be a number from 1 to 65535")
    }
  }

  /// Resolves the host; called once, when the proxy starts.
  func resolve() throws(Problem) -> SocketAddress {
    guard let address = SocketAddress.resolving(host, port: port) else {
      throw Problem(
        description: "the host \"\(host)\" of the upstream cannot be resolved; check the name, or use an address")
    }
    return address
  }
}

/// How long the upstream may take, and how long an idle connection to it is kept.
package struct UpstreamTimes: Sendable {
  package var connect = Nanoseconds.seconds(5)
  /// The time without a byte of the answer.
  package var answer = Nanoseconds.seconds(60)
  /// Shorter than most servers keep connections, including Node with 5 s: a request that crosses their close is lost.
  package var idle = Nanoseconds.seconds(4)

  init() {}
}

/// Writes the heads of forwarded messages.
enum ForwardedHead {
  /// Appends the head of a request without the framing of its body and without the empty line.
  static func append(
    _ head: borrowing RequestHead, to target: UpstreamTarget, omitting: HeadFields.Omission, keepsHost: Bool,
    by name: ProxyName, into out: inout [UInt8]
  ) {
    var written: [UInt8] = []
    if head.form == .asterisk {
      written = [UInt8(ascii: "*")]
    } else {
      written += target.prefix
      if head.path.isEmpty { written.append(UInt8(ascii: "/")) } else { written.append(copying: head[head.path]) }
      if let query = head.query {
        written.append(UInt8(ascii: "?"))
        written.append(copying: head[query])
      }
    }
    do throws(HTTPError) {
      try RequestWriter.requestLine(head[head.methodBytes], written.span, .http11, into: &out)
      if keepsHost, let authority = head.authority {
        try HeadWriter.field(HeaderName.host, head[authority], into: &out)
      } else {
        try HeadWriter.field(HeaderName.host, target.authority.span, into: &out)
      }
    } catch { preconditionFailure("the parser has passed what it refuses: \(error)") }
    let left = forwardsLeft(head)
    head.fields.appendEndToEnd(omitting: omitting.union(left == nil ? .host : [.host, .maxForwards]), into: &out)
    if let left { out += "\(HeaderName.maxForwards): \(left)\r\n".utf8 }
    out += name.via(head.version)
  }

  /// RFC 9110 §7.6.2: the number of proxies that may still forward the request; nil without the field.
  private static func forwardsLeft(_ head: borrowing RequestHead) -> UInt64? {
    guard head.method == .options || head.method == .trace else { return nil }
    return head.text(HeaderName.maxForwards).flatMap { UInt64($0) }.flatMap { $0 > 0 ? $0 - 1 : nil }
  }

  /// Appends the head of an answer without the framing of its body and without the empty line. The reason phrase is kept.
  static func append(
    _ head: borrowing ResponseHead, omitting: HeadFields.Omission, by name: ProxyName, into out: inout [UInt8]
  ) {
    appendStatusLine(head, into: &out)
    head.fields.appendEndToEnd(omitting: omitting, into: &out)
    out += name.via(head.version)
  }

  private static func appendStatusLine(_ head: borrowing ResponseHead, into out: inout [UInt8]) {
    out += "HTTP/1.1 ".utf8
    let status = head.status
    out.append(UInt8(ascii: "0") + UInt8(status / 100))
    out.append(UInt8(ascii: "0") + UInt8(status / 10 % 10))
    out.append(UInt8(ascii: "0") + UInt8(status % 10))
    out.append(UInt8(ascii: " "))
    out.append(copying: head[head.reason])
    out += "\r\n".utf8
  }
}
