import Base
import Contract
import HTTP1
import HTTPService
import JSON

/// An entry of the route table.
struct RoomRoute: Sendable {
  /// The name of the operation in openapi/control-room.json.
  let name: String
  let method: HTTPMethod
  /// Nil matches any segment.
  let path: [String?]
  /// The allowed names in its query.
  let query: [String]
  /// The page and the API description are not secret, and a browser fetches them without a token.
  let isOpen: Bool
  let handle: @Sendable (RoomHandlers, ServiceRequest) -> ServiceReply

  init(
    _ name: String, _ method: HTTPMethod, _ path: String, query: [String] = [], isOpen: Bool = false,
    _ handle: @escaping @Sendable (RoomHandlers, ServiceRequest) -> ServiceReply
  ) {
    self.name = name
    self.method = method
    self.path = path.split(separator: "/").map { $0.hasPrefix("{") ? nil : String($0) }
    self.query = query
    self.isOpen = isOpen
    self.handle = handle
  }

  /// All routes.
  static let table: [RoomRoute] = [
    RoomRoute("roomPage", .get, "/", isOpen: true) { .answer($0.files.page($1)) },
    RoomRoute("sharedFile", .get, "/page/{file}", isOpen: true) { .answer($0.files.shared($1)) },
    RoomRoute("roomFile", .get, "/page/room/{file}", isOpen: true) { .answer($0.files.own($1)) },
    RoomRoute("contract", .get, "/openapi.json", isOpen: true) { handlers, _ in .answer(handlers.files.contract) },
    RoomRoute("runState", .get, "/run/v1/state") { handlers, _ in .answer(handlers.state()) },
    RoomRoute("runLive", .get, "/run/v1/live") { handlers, _ in handlers.live() },
    RoomRoute("runHistory", .get, "/run/v1/history") { handlers, _ in .answer(handlers.history()) },
    RoomRoute("runMap", .get, "/run/v1/map") { handlers, _ in .answer(handlers.map()) },
    RoomRoute("runPhones", .get, "/run/v1/phones", query: ["names"]) { $0.phones($1) },
    RoomRoute("runPhone", .get, "/run/v1/phones/{phone}", query: ["instant"]) { $0.phone($1) },
    RoomRoute("runAt", .get, "/run/v1/at", query: ["instant"]) { $0.at($1) },
    RoomRoute("runErrors", .get, "/run/v1/errors") { handlers, _ in .answer(handlers.errors()) },
    RoomRoute("runActs", .get, "/run/v1/acts") { handlers, _ in .answer(handlers.acts()) },
    RoomRoute("runAct", .post, "/run/v1/acts") { $0.act($1) },
    RoomRoute("runScenario", .get, "/run/v1/scenario") { handlers, _ in handlers.scenario() },
    RoomRoute("runReport", .get, "/run/v1/report", query: ["format"]) { $0.report($1) },
  ]

  fileprivate func serves(_ segments: [String]) -> Bool {
    path.count == segments.count && zip(path, segments).allSatisfy { $0 == nil || $0 == $1 }
  }
}

/// Finds the route of a request, or the mistake in the request.
struct RoomRouter: Sendable {
  let access: RoomAccess
  let handlers: RoomHandlers

  func reply(to request: ServiceRequest) -> ServiceReply {
    let there = RoomRoute.table.filter { $0.serves(request.path) }
    guard !there.isEmpty else {
      return .answer(.error(404, "not_found", "no route has this path; see /openapi.json"))
    }
    let method = request.method == .head ? .get : request.method
    guard let route = there.first(where: { $0.method == method }) else {
      let methods = there.flatMap { $0.method == .get ? ["GET", "HEAD"] : ["\($0.method.name)"] }.joined(
        separator: ", ")
      return .answer(.error(405, "method_not_allowed", "this path allows \(methods)").with(HeaderName.allow, methods))
    }
    if !route.isOpen, let refusal = access.refuse(request) { return .answer(refusal) }
    if let refusal = route.refuse(request.query) { return .answer(refusal) }
    return route.handle(handlers, request)
  }
}

extension RoomRoute {
  /// Rejects unknown and repeated names.
  fileprivate func refuse(_ items: [FormItem]) -> ServiceAnswer? {
    for (index, item) in items.enumerated() {
      if !query.contains(item.name) {
        let known = query.isEmpty ? "this path takes no parameters" : "this path takes \(query.joined(separator: ", "))"
        let hint = NearestName.find(item.name, in: query).map { "; did you mean \($0)?" } ?? ""
        return .error(
          400, "unknown_parameter", known + hint, detail: .object(["parameter": .string(item.name)]))
      }
      if items[..<index].contains(where: { $0.name == item.name }) {
        return .badParameter(item.name, "is given more than once")
      }
    }
    return nil
  }
}

extension ServiceAnswer {
  static func badParameter(_ name: String, _ what: String) -> ServiceAnswer {
    .error(400, "bad_parameter", "\(name) \(what)", detail: .object(["parameter": .string(name)]))
  }
}
