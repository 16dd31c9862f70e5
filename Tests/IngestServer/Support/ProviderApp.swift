import Contract
import JSON

@testable import IngestServer

/// An app with its SDK at a server that poses as a provider: it logs in as `IdentityProvider` says, and what is found in an answer is
/// found by the SDK's own search.
final class ProviderApp {
  let harness: SessionHarness
  let provider: IdentityProvider
  private(set) var accessToken = ""
  private(set) var refreshToken = ""

  init(_ provider: IdentityProvider, _ change: (inout ServerConfiguration) -> Void = { _ in }) throws {
    self.provider = provider
    harness = try SessionHarness { configuration in
      configuration.authentication = .required
      configuration.identity = IdentitySettings(provider)
      change(&configuration)
    }
  }

  func logIn(_ device: String) throws -> TestAnswer {
    let requests = provider.requests(for: device)
    let fields = requests.loginHeaders.map { ($0.name, $0.value) }
    return try take(harness.request("POST", requests.login.name, fields, body: requests.login.value))
  }

  /// As the SDK asks, with the configuration of the provider.
  func refresh(with token: String? = nil, payload: JSONObject? = nil, headers: JSONObject? = nil) throws -> TestAnswer {
    let requests = provider.requests(for: "")
    var settings = Configuration(platform: .ios).authorization
    settings.accessToken = accessToken
    settings.refreshToken = token ?? refreshToken
    settings.refreshUrl = requests.refreshPath
    settings.refreshPayload = .object(payload ?? requests.refreshPayload)
    settings.refreshHeaders = .object(headers ?? requests.refreshHeaders)
    guard let request = RefreshRequest(settings, uploadHeaders: .object([:])) else {
      throw NoAnswer(request: "refresh")
    }
    let fields = request.headers.map { ($0.name, $0.value) }
    return try take(
      harness.request("POST", request.url, fields, body: String(decoding: request.body, as: UTF8.self)))
  }

  func upload(_ number: Int) throws -> TestAnswer { try harness.upload(number, bearer: accessToken) }

  private func take(_ answer: TestAnswer) throws -> TestAnswer {
    guard answer.status == 200 else { return answer }
    let found = FoundTokens(searching: try answer.json())
    accessToken = found.accessToken ?? accessToken
    refreshToken = found.refreshToken ?? refreshToken
    return answer
  }
}
