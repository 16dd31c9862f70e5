import Base
import Contract

/// The header fields of requests.
extension ConformanceClause {
  static let headers: [ConformanceClause] = [
    ConformanceClause(
      "header-case", .http, .must, .block, "Names of header fields are found in any case",
      because: "HTTP/2 front ends write them in lower case (RFC 9110 §5.1)"
    ) { run in
      for isUpper in [false, true] {
        let (phone, record, raw) = try plain(run)
        var request = raw
        request.headers = raw.headers.map {
          NameValuePair(isUpper ? $0.name.uppercased() : $0.name.lowercased(), $0.value)
        }
        let name = HeaderName.contentLength.description
        let length = NameValuePair(isUpper ? name.uppercased() : name.lowercased(), "\(raw.body.count)")
        request.headers.append(length)
        let reply = try run.exchange(request)
        guard reply.isSuccess else {
          throw run.fail("header names in \(isUpper ? "upper" : "lower") case: \(reply.text)")
        }
        // A device, a token or a type may be in one of them.
        let what = " with header names in \(isUpper ? "upper" : "lower") case"
        try run.expectOnce([record], of: phone.name, among: what)
      }
    },
    ConformanceClause(
      "long-headers", .http, .must, .block, "Header fields of 4 KB are accepted",
      because: "tokens with claims are that long"
    ) { run in
      let (phone, record, raw) = try plain(run)
      var request = raw
      request.setHeader("X-Long-Token", String(repeating: "t", count: 4_096))
      for number in 1...10 { request.setHeader("X-Extra-\(number)", String(repeating: "e", count: 60)) }
      let reply = try run.exchange(request)
      guard reply.isSuccess else { throw run.fail("4.7 KB of header fields: \(reply.text)") }
      try run.expectOnce([record], of: phone.name, among: " with 4.7 KB of header fields")
    },
  ]
}
