import JSON

extension Subcommand {
  static let healthcheck = Subcommand(
    name: "healthcheck",
    summary: "ask a running server whether it can store records",
    operands: "",
    operandCount: 0...0,
    flags: [
      .value("url", "URL", "the running server, such as http://127.0.0.1:8080 [the --listen address on this machine]"),
      .value("listen", "ADDRESS", "the server's --listen address", standard: "127.0.0.1:8080"),
    ] + SecurityFlags.all,
    details: """
      Calls /readyz. The exit code is 0 when the server can store records, and 1 when it cannot or does not answer within
      five seconds. In a container, ROLLINGROAD_LISTEN sets the address for both 'serve' and 'healthcheck'.
      """,
    run: { (invocation) throws(UsageError) in
      let url = try invocation.values.serverURL()
      try SecurityFlags.check(invocation.values, invocation.process)
      do throws(HTTPCall.Failure) {
        let answer = try HTTPCall(url: url, invocation.values).get("/readyz")
        invocation.process.writeOutput("\(url) \(answer.status == 200 ? "is ready" : "is not ready: \(answer.reason)")")
        return answer.status == 200 ? .ok : .runtimeFailure
      } catch {
        invocation.process.writeError("rollingroad healthcheck: \(error.message)")
        return .runtimeFailure
      }
    })
}

extension FlagValues {
  /// Returns `--url`, or the URL for `--listen`.
  func serverURL() throws(UsageError) -> ServerURL {
    let expected = "a URL such as http://127.0.0.1:8080 (an IP address or localhost) or https://localhost:8443"
    if let url = try read("url", expected: expected, { ServerURL($0) }) { return url }
    guard let url = try ServerURL(listening: text("listen") ?? "") else {
      throw UsageError("--listen has port 0; use --url with the port that the server printed")
    }
    return url
  }
}

extension HTTPCall.Answer {
  /// The status and the server's message.
  fileprivate var reason: String {
    do throws(JSONError) {
      guard case .string(let text)? = try JSONValue(parsing: body.span)["error"]?["message"] else { return "\(status)" }
      return "\(status), \(text)"
    } catch {
      return "\(status)"
    }
  }
}
