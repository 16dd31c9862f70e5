import HTTP1

/// One row of the table of routes: what a request asks for, who may ask, and what answers.
final class Route: Sendable {
  /// A piece of a path: text as it stands, a parameter, or whatever follows.
  enum Piece: Hashable, Sendable {
    case text(String)
    case parameter
    case rest
  }

  enum Audience: Equatable, Sendable {
    /// What is journaled, faulted and counted as the traffic of devices.
    case device(DeviceOperation)
    case anyone
    /// The administrator's token, or a client on this machine when no token is set.
    case administrator
  }

  /// Which administrations have it.
  enum Place: Sendable {
    case everywhere
    /// The backend's own: a proxy has no commands, tokens or logs.
    case server
    /// What only a proxy has seen.
    case proxy
  }

  typealias Handler = @Sendable (ServerContext, Exchange, SessionScratch) -> Reply

  /// The `operation` of metrics and journal. The `operationId`s of openapi/openapi.json begin with it; where one has several
  /// paths or methods, the others have `_` and a word behind it.
  let name: String
  let methods: [HTTPMethod]
  let paths: [[Piece]]
  let audience: Audience
  let place: Place
  /// Its answer says where the server is: the issuer of tokens, or the page that a phone is led to.
  let namesOrigin: Bool
  let handler: Handler

  /// `/admin/v1/devices/{device}`; a last piece `**` takes one or more segments of any kind, of which the first is a parameter.
  init(
    _ methods: [HTTPMethod], _ paths: [String], _ name: String, _ audience: Audience, at place: Place = .everywhere,
    namesOrigin: Bool = false, _ handler: @escaping Handler
  ) {
    self.name = name
    self.methods = methods
    self.paths = paths.map { path in
      path.split(separator: "/").map { piece in
        if piece == "**" { .rest } else if piece.hasPrefix("{") { .parameter } else { .text(String(piece)) }
      }
    }
    self.audience = audience
    self.place = place
    self.namesOrigin = namesOrigin
    self.handler = handler
  }

  static func device(
    _ methods: [HTTPMethod], _ paths: [String], _ operation: DeviceOperation, _ handler: @escaping Handler
  ) -> Route {
    let givesTokens = operation == .registerDevice || operation == .refreshToken
    return Route(methods, paths, operation.rawValue, .device(operation), namesOrigin: givesTokens, handler)
  }

  static func anyone(
    _ path: String, named name: String, namesOrigin: Bool = false, _ handler: @escaping Handler
  ) -> Route {
    Route([.get], [path], name, .anyone, namesOrigin: namesOrigin, handler)
  }

  /// `query`: the names that the query may have. Any other is a mistake, and ignoring it would answer another question than
  /// the one that was asked; so is a body where none is read.
  static func admin(
    _ method: HTTPMethod, _ path: String, _ name: String, query: [String], readsBody: Bool = true,
    at place: Place = .everywhere,
    _ action: @escaping @Sendable (ServerContext) -> (Exchange) throws(ResponseError) -> Reply
  ) -> Route {
    Route([method], ["/admin/v1" + path], name, .administrator, at: place) { context, exchange, _ in
      do throws(ResponseError) {
        try exchange.query.check(against: query)
        if method == .delete || !readsBody { try QueryParameters.refuse(body: exchange.body, among: query) }
        return try action(context)(exchange)
      } catch {
        return .answer(error.response)
      }
    }
  }

  /// Nil for what is not of devices.
  var deviceOperation: DeviceOperation? { if case .device(let operation) = audience { operation } else { nil } }

  var isAdministrative: Bool { audience == .administrator }
}

/// What devices call. Only these meet faults, so that a client can always take a fault back.
package enum DeviceOperation: String, CaseIterable, Sendable {
  case uploadLocations, registerDevice, refreshToken, uploadDeviceLog
}
