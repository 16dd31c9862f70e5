import Base
import Contract
import Gzip
import HTTP1
import Store

/// One request on its way to its answer: what its head said, and its body as far as it has come. A class, because it is handed on
/// several times between the head and the answer, and as a value would count a reference for each property.
final class Exchange {
  let route: Route
  /// The place of the route in the table.
  let routeNumber: Int
  /// It is for the route, which else stands in for a path that nothing serves.
  let isServed: Bool
  /// The decoded segments that the route names.
  let parameters: [String]
  /// Empty for ordinary traffic.
  let run: String
  let method: HTTPMethod
  let version: HTTPVersion
  let receivedAt: WallInstant
  let begunAt: MonotonicInstant
  let query: QueryParameters
  /// Values of the fields that mean something here.
  let authorization: [UInt8]?
  let contentType: [UInt8]?
  let deviceHeader: String?
  let coding: ContentCoding
  /// The last event that a listener has seen.
  let lastEventID: String?
  /// What a browser has of a file already.
  let ifNoneMatch: String?
  /// The operation of a service of AWS, which has one path for all.
  let amazonTarget: String?
  /// Scheme and host that the request was sent to; empty where that means nothing.
  var origin = ""
  /// The path where nothing is served; nil where something is.
  let unservedPath: String?

  var body: [UInt8] = []
  /// All of the body is here.
  var isBodyWhole: Bool
  /// Whose request it is, as far as that is known; empty while it is not.
  var device: String
  /// Not nil when the request is recorded.
  var draft: JournalDraft?
  /// The fault that it meets.
  var fault: AppliedFault?
  /// It is a refresh that an administrator has spoilt.
  var isBroken = false
  /// The key of its token was looked for where other servers keep theirs.
  var hasLookedForKey = false
  /// Records that a fault keeps from the store although they are acknowledged.
  var withheld = 0

  init(
    _ head: borrowing RequestHead, _ target: Target, query: [FormItem], receivedAt: WallInstant,
    begunAt: MonotonicInstant
  ) {
    (route, routeNumber, parameters, run) = (target.route, target.routeNumber, target.parameters, target.run)
    isServed = target.isServed
    (method, version) = (head.method, head.version)
    self.receivedAt = receivedAt
    self.begunAt = begunAt
    self.query = QueryParameters(query)
    authorization = head.bytes(.authorization)
    contentType = head.bytes(.contentType)
    deviceHeader = head.text(HeaderName.deviceID).flatMap { $0.isEmpty ? nil : $0 }
    coding = head.coding
    lastEventID = route.isAdministrative ? head.text(HeaderName.lastEventID) : nil
    ifNoneMatch = route.audience == .anyone ? head.text(HeaderName.ifNoneMatch) : nil
    amazonTarget = route.deviceOperation == .refreshToken ? head.text(HeaderName.amazonTarget) : nil
    unservedPath = target.unservedPath
    isBodyWhole = head.framing == .none
    device = deviceHeader ?? parameters.last ?? ""
  }

  /// What the head asks for.
  struct Target {
    var route = Route.page
    var routeNumber = Router.pageNumber
    var isServed = false
    var parameters: [String] = []
    var run = ""
    var unservedPath: String?
  }
}

extension Exchange {
  /// The device that the path names.
  var namedDevice: DeviceIdentity {
    guard let name = parameters.first else { preconditionFailure("the route has the device's name") }
    return DeviceIdentity(run: run, name: name)
  }

  /// The name of the fault that it meets, of whatever kind.
  var faultName: String? { fault?.fault.kind.rawValue ?? (isBroken ? Self.brokenRefresh : nil) }

  static let brokenRefresh = "breakRefresh"

  /// It is an upload, or was meant as one, and its body may tell whose: it goes before the path.
  var mayNameDevice: Bool {
    deviceHeader == nil && (route.deviceOperation == .uploadLocations || unservedPath != nil)
  }

  /// Nil when a name is too long to be kept.
  func identity(_ name: String?) -> DeviceIdentity? {
    guard let name, max(name.utf8.count, run.utf8.count) <= DeviceIdentity.nameBytesMax else { return nil }
    return DeviceIdentity(run: run, name: name)
  }

  /// Nil for all runs, when none is named.
  var optionalRun: String? { query.text("run") ?? (run.isEmpty ? nil : run) }
}

extension Exchange {
  /// What follows `Bearer ` in the Authorization field; the scheme's case does not matter (RFC 9110 §11.1).
  var bearer: [UInt8]? {
    let scheme = Array("bearer ".utf8)
    guard let authorization, authorization.count > scheme.count else { return nil }
    for (byte, letter) in zip(authorization, scheme) where byte | 0x20 != letter | 0x20 { return nil }
    return Array(authorization[scheme.count...].drop { $0 == UInt8(ascii: " ") })
  }

  /// Nil when there is none, or none that can be read.
  var mediaType: HTTP1.MediaType? {
    guard let contentType else { return nil }
    do throws(HTTPError) { return try HTTP1.MediaType(parsing: contentType.span) } catch { return nil }
  }
}
