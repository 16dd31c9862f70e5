import JSON

extension Command {
  static let token = Command(
    name: "token",
    summary: "get tokens for a device, or make an administrator's token",
    operands: "[DEVICE]",
    operandCount: 0...1,
    flags: [
      .toggle("admin", "print a new secret for serve --admin-token instead"),
      .value("url", "URL", "the running server, as http://127.0.0.1:8080 [that of --listen on this machine]"),
      .value("listen", "ADDRESS", "the --listen of the server", standard: "127.0.0.1:8080"),
    ],
    details: """
      A device's tokens belong to a registration that the server keeps, so that it can expire and revoke
      them: the command registers DEVICE with the running server and prints its answer, an access and a
      refresh token as JSON. With --admin it prints 256 random bits; nothing is stored.
      """,
    run: { (invocation) throws(UsageError) in
      if invocation.values.isOn("admin") {
        guard invocation.operands.isEmpty else { throw UsageError("--admin and DEVICE exclude each other") }
        invocation.process.writeOutput(newSecret())
        return .ok
      }
      guard let device = invocation.operands.first, !device.isEmpty else {
        throw UsageError("say for which DEVICE, or --admin")
      }
      return try register(device, invocation)
    })

  private static func newSecret() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
      let digits = String(generator.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  private static func register(_ device: String, _ invocation: Invocation) throws(UsageError) -> ExitCode {
    let url = try invocation.values.serverURL()
    let request: JSONValue = .object([
      "org": .string("rollingroad"), "uuid": .string(device), "device_id": .string(device), "model": .string("cli"),
      "manufacturer": .string("rollingroad"), "version": .string(Product.version),
    ])
    var writer = JSONWriter(capacity: 256)
    request.write(to: &writer)
    do throws(HTTPCall.Failure) {
      let answer = try HTTPCall(url: url).post("/api/register", json: writer.bytes)
      let text = String(decoding: answer.body, as: UTF8.self)
      guard answer.status == 200 else {
        invocation.process.writeError("rollingroad token: \(url) answered \(answer.status): \(text)")
        return .runtimeFailure
      }
      invocation.process.writeOutput(text)
      return .ok
    } catch {
      invocation.process.writeError("rollingroad token: \(error.message)")
      return .runtimeFailure
    }
  }
}
