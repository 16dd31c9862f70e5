extension Command {
  static let healthcheck = Command(
    name: "healthcheck",
    summary: "ask a running server whether it can commit",
    operands: "",
    operandCount: 0...0,
    flags: [
      .value("url", "URL", "the server, as http://127.0.0.1:8080 [that of --listen on this machine]"),
      .value("listen", "ADDRESS", "the --listen of the server", standard: "127.0.0.1:8080"),
    ],
    details: """
      Calls /readyz. Exit code 0 when the server can commit, 1 when it cannot, or when nobody answers
      within five seconds. In a container ROLLINGROAD_LISTEN serves both commands.
      """,
    run: { (invocation) throws(UsageError) in
      let url = try invocation.values.serverURL()
      do throws(HTTPCall.Failure) {
        let answer = try HTTPCall(url: url).get("/readyz")
        invocation.process.writeOutput("\(url) \(answer.status == 200 ? "is ready" : "is not ready: \(answer.status)")")
        return answer.status == 200 ? .ok : .runtimeFailure
      } catch {
        invocation.process.writeError("rollingroad healthcheck: \(error.message)")
        return .runtimeFailure
      }
    })
}

extension FlagValues {
  /// `--url`, or the address that `--listen` means.
  func serverURL() throws(UsageError) -> ServerURL {
    let expected = "a URL with an IP address or localhost, as http://127.0.0.1:8080"
    if let url = try read("url", expected: expected, { ServerURL($0) }) { return url }
    guard let url = try ServerURL(listening: text("listen") ?? "") else {
      throw UsageError("--listen leaves the port to the kernel; say --url with the one that the server printed")
    }
    return url
  }
}
