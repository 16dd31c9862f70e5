import HTTP1

/// One row of the route table: the requests it matches, who may send them, and the handler.
final class Route: Sendable {
  /// A piece of a path: literal text, a parameter, or everything that follows.
  enum Piece: Hashable, Sendable {
    case text(String)
    case parameter
    case rest
  }

  enum Audience: Equatable, Sendable {
    /// Journaled, subject to faults, and counted as traffic of devices.
    case device(DeviceOperation)
    case anyone
    /// Requires the admin token, or a client on this machine when no token is set.
    case administrator
  }

  /// The administrations that have the route.
  enum Place: Sendable {
    case everywhere
    /// Only a server: a proxy has no commands, tokens or logs.
    case server
    /// Only a proxy, for what only a proxy sees.
    case proxy
  }

  typealias Handler = @Sendable (ServerContext, Exchange, SessionScratch) -> Reply

  /// The `operation` of metrics and journal. The `operationId`s of openapi/openapi.json begin with it; when a route has several
  /// paths or methods, the others append `_` and a word.
  let name: String
  let methods: [HTTPMethod]
  let paths: [[Piece]]
  let audience: Audience
  let place: Place
  /// Whether its answer contains the server's own address: the issuer of tokens, or the page for a phone.
  let namesOrigin: Bool
  let handler: Handler

  /// Parses paths such as `/admin/v1/devices/{device}`; a last piece `**` matches one or more segments of any kind, the first
  /// of which is a parameter.
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

  /// `query` lists the allowed query names. Any other name is refused, because ignoring it would answer a different question;
  /// so is a body where none is read.
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

  /// The operation of a device; nil for other routes.
  var deviceOperation: DeviceOperation? { if case .device(let operation) = audience { operation } else { nil } }

  var isAdministrative: Bool { audience == .administrator }
}

/// The operations of devices. Only these are subject to faults, so that a client can always remove a fault.
package enum DeviceOperation: String, CaseIterable, Sendable {
  case uploadLocations, registerDevice, refreshToken, uploadDeviceLog
}
