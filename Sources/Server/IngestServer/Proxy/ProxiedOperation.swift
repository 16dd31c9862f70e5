import Contract
import HTTP1

/// Determines the operation of a request to another server, by its method and the words of its path. Backends have paths of
/// their own; the SDK has four operations.
enum ProxiedOperation {
  /// Returns nil for requests that no device makes.
  static func of(_ head: borrowing RequestHead) -> DeviceOperation? {
    guard [.post, .put, .patch].contains(head.method) else { return nil }
    return of(path: head.fields.text(head.path) ?? "")
  }

  static func of(method: String, path: String) -> DeviceOperation? {
    ["POST", "PUT", "PATCH"].contains(method) ? of(path: String(path.prefix { $0 != "?" })) : nil
  }

  private static func of(path: String) -> DeviceOperation? {
    let words = path.split(separator: "/")
    guard let last = words.last?.lowercased() else { return path.isEmpty ? nil : .uploadLocations }
    if refreshWords.contains(last) { return .refreshToken }
    if registerWords.contains(last) { return .registerDevice }
    return words.contains { logWords.contains($0.lowercased()) } ? .uploadDeviceLog : .uploadLocations
  }

  private static let refreshWords: Set = ["refresh", "refresh-token", "refresh_token", "refreshtoken", "token"]
  private static let registerWords: Set = ["register", "login", "signin", "sign-in"]
  private static let logWords: Set = ["log", "logs"]

  /// Returns the route of the same name, under which the operation is counted.
  static func route(_ operation: DeviceOperation?) -> (Route, Int) {
    operation.flatMap { rows[$0] } ?? (Route.page, Router.pageNumber)
  }

  private static let rows: [DeviceOperation: (Route, Int)] = {
    var rows: [DeviceOperation: (Route, Int)] = [:]
    for (number, route) in Route.table.enumerated() {
      if let operation = route.deviceOperation { rows[operation] = rows[operation] ?? (route, number) }
    }
    return rows
  }()
}
