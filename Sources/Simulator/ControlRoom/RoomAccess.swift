import Base
import Contract
import HTTP1
import HTTPService
import IngestServer
import TLS

/// Access control: holders of the token where one is set; otherwise clients on this machine, except pages of other sites in
/// its browser (docs/decisions/0015).
struct RoomAccess: Sendable {
  /// Nil: none is required.
  private let token: [UInt8]?

  init(token: String?) { self.token = token.map { Cryptography.sha256(Array($0.utf8)) } }

  /// Returns the refusal; nil when the request is allowed.
  func refuse(_ request: ServiceRequest) -> ServiceAnswer? {
    guard let token else {
      guard request.isLocal else {
        return .error(
          403, "room_is_local", "clients on other machines need the dashboard token; set \(RoomAccess.flag)")
      }
      guard request.caller.isForeign else { return nil }
      return .error(403, "foreign_site", BrowserCaller.explanation("dashboard", flag: RoomAccess.flag))
    }
    guard let shown = request.bearer, Cryptography.areEqual(Cryptography.sha256(Array(shown.utf8)), token) else {
      return .error(401, "room_token_required", "this path needs the token of the control room")
        .with(HeaderName.wwwAuthenticate, "Bearer realm=\"rollingroad\", error=\"invalid_token\"")
    }
    return nil
  }

  static let flag = "--dashboard-token"
}
