internal import Base
import Contract
import HTTP1

/// The name of a proxy in Via and Proxy-Status. It is unique, so that a request that comes back is detected.
struct ProxyName: Sendable {
  let text: String
  private let lines: (http10: [UInt8], http11: [UInt8])

  init(_ text: String) {
    self.text = text
    lines = (Array("\(HeaderName.via): 1.0 \(text)\r\n".utf8), Array("\(HeaderName.via): 1.1 \(text)\r\n".utf8))
  }

  /// `rollingroad-` and eight digits.
  static func own() -> ProxyName {
    let digits = String(UInt32.random(in: .min ... .max), radix: 16)
    return ProxyName("rollingroad-" + String(repeating: "0", count: 8 - digits.count) + digits)
  }

  /// RFC 9110 §7.6.3: the version in which the message was received, and the proxy that forwarded it.
  func via(_ version: HTTPVersion) -> [UInt8] { version == .http10 ? lines.http10 : lines.http11 }

  /// Returns whether the request has passed this proxy before (RFC 9110 §7.6.3).
  func hasPassed(_ head: borrowing RequestHead) -> Bool {
    for field in head.fields.list where head[field.name].isSameName(HeaderName.via) {
      for element in (head.fields.text(field.value) ?? "").split(separator: ",") {
        // Protocol, name, and optionally a comment.
        let words = element.split { $0 == " " || $0 == "\t" }
        if words.count > 1, words[1].lowercased() == text { return true }
      }
    }
    return false
  }

  /// RFC 5842 §7.2; the field shows that the answer is not the upstream's (RFC 9209 §2.3).
  var loopAnswer: Response {
    // Like those of UpstreamFailure, the code is of forwarded traffic: no route of the contract has it.
    let code = "loop_detected"
    return .error(
      508, code,
      "the request has passed this proxy before: its --upstream leads back to it; name the backend itself"
    ).with(HeaderName.proxyStatus, "\(text); error=\(Self.loopError)")
  }

  /// Returns whether this or another proxy on the way has detected a loop.
  static func tellsLoop(status: Int, head: [UInt8]) -> Bool {
    status == 508 && String(decoding: head, as: UTF8.self).contains("error=\(loopError)")
  }

  private static let loopError = "proxy_loop_detected"
}
