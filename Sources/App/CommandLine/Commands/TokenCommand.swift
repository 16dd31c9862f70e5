import Base
import JSON

extension Subcommand {
  static let token = Subcommand(
    name: "token",
    summary: "get tokens for a device, or make an admin token",
    operands: "[DEVICE]",
    operandCount: 0...1,
    flags: [
      .toggle("admin", "print a new random secret for serve --admin-token instead"),
      .value("url", "URL", "the running server, such as http://127.0.0.1:8080 [the --listen address on this machine]"),
      .value("listen", "ADDRESS", "the server's --listen address", standard: "127.0.0.1:8080"),
    ] + SecurityFlags.all,
    details: """
      Registers DEVICE with the running server and prints the answer, an access and a refresh token, as JSON. The server
      keeps the registration, so that its tokens can expire and be revoked. With --admin it prints 256 random bits and
      stores nothing.
      """,
    examples: [
      "rollingroad token --admin"
    ],
    run: { (invocation) throws(UsageError) in
      if invocation.values.isOn("admin") {
        guard invocation.operands.isEmpty else { throw UsageError("--admin and DEVICE cannot be used together") }
        invocation.process.writeOutput(newSecret())
        return .ok
      }
      guard let device = invocation.operands.first, !device.isEmpty else {
        throw UsageError("DEVICE is missing; name one, or use --admin")
      }
      return try register(device, invocation)
    })

  private static func newSecret() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<4).map { _ in (generator.next() as UInt64).zeroPadded(to: 16, radix: 16) }.joined()
  }

  private static func register(_ device: String, _ invocation: Invocation) throws(UsageError) -> ExitCode {
    let url = try invocation.values.serverURL()
    try SecurityFlags.check(invocation.values, invocation.process)
    let request: JSONValue = .object([
      "org": .string("rollingroad"), "uuid": .string(device), "device_id": .string(device), "model": .string("cli"),
      "manufacturer": .string("rollingroad"), "version": .string(Product.version),
    ])
    do throws(HTTPCall.Failure) {
      let answer = try HTTPCall(url: url, invocation.values).post("/api/register", json: request.serialized)
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
