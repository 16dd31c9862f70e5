import JSON
import Store

@testable import IngestServer

/// What a device got at registration or refresh.
struct TokenPair: Equatable {
  let access: String
  let refresh: String
}

/// What the tests of tokens and commands ask of a server again and again.
extension SessionHarness {
  func register(_ device: String, run: String = "") throws -> TokenPair {
    let body =
      #"{"org":"acme","uuid":"\#(device)","model":"m","manufacturer":"f","version":"15"}"#
    let answer = try request("POST", "/api/register", [("X-Run-Id", run)].filter { !$0.1.isEmpty }, body: body)
    return try pair(answer, "accessToken", "refreshToken")
  }

  func refresh(_ token: String, _ fields: [(String, String)] = []) throws -> TestAnswer {
    try request("POST", "/api/refresh_token", fields, body: "refresh_token=\(token)")
  }

  func pair(_ answer: TestAnswer, _ access: String = "access_token", _ refresh: String = "refresh_token") throws
    -> TokenPair
  {
    guard case .string(let access)? = try answer.json()[access], case .string(let refresh)? = try answer.json()[refresh]
    else { throw NoAnswer(request: answer.text) }
    return TokenPair(access: access, refresh: refresh)
  }

  func upload(_ number: Int, bearer: String? = nil, device: String? = nil, run: String? = nil) throws -> TestAnswer {
    var fields: [(String, String)] = []
    if let bearer { fields.append(("Authorization", "Bearer \(bearer)")) }
    if let device { fields.append(("X-Device-Id", device)) }
    if let run { fields.append(("X-Run-Id", run)) }
    return try upload(Uploads.record(number), fields)
  }

  func order(_ body: String, for device: String? = nil, run: String? = nil) throws -> TestAnswer {
    let path = device.map { "/admin/v1/devices/\($0)/commands" } ?? "/admin/v1/commands"
    return try request("POST", path, run.map { [("X-Run-Id", $0)] } ?? [], body: body)
  }

  /// `state` of each line of a device's ledger.
  func ledgerStates(of device: String) throws -> [String] {
    let answer = try request("GET", "/admin/v1/devices/\(device)/commands")
    guard case .array(let lines)? = try answer.json()["commands"] else { throw NoAnswer(request: answer.text) }
    return lines.map { if case .string(let state)? = $0["state"] { state } else { "" } }
  }
}

extension TestAnswer {
  /// The commands in the answer, as compact JSON; nil when there is no such key.
  var commands: String? {
    get throws {
      guard let list = try json()["background_geolocation"] else { return nil }
      var writer = JSONWriter(capacity: 64)
      list.write(to: &writer)
      return String(decoding: writer.bytes, as: UTF8.self)
    }
  }
}
