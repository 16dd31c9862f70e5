import Base
import Contract
import Gzip
import HTTP1
import Store

/// One request on its way to its answer: the values of its head, and the body received so far. A class, because it is passed on
/// several times between head and answer; a struct would retain a reference for each property.
final class Exchange {
  let route: Route
  /// The index of the route in the table.
  let routeNumber: Int
  /// Whether the request matched its route; the route of an unserved path is only a substitute.
  let isServed: Bool
  /// The decoded values of the path's parameters.
  let parameters: [String]
  /// The name of the run; empty for ordinary traffic.
  let run: String
  let method: HTTPMethod
  let version: HTTPVersion
  let receivedAt: WallInstant
  let begunAt: MonotonicInstant
  let query: QueryParameters
  /// Values of the header fields that the server uses.
  let authorization: [UInt8]?
  let contentType: [UInt8]?
  let deviceHeader: String?
  let coding: ContentCoding
  /// The last event that an event stream client has seen.
  let lastEventID: String?
  /// The entity tag that a browser has cached.
  let ifNoneMatch: String?
  /// The operation of an AWS service, which has one path for all operations.
  let amazonTarget: String?
  /// Scheme and host that the request was sent to; empty when the route does not need them.
  var origin = ""
  /// The path when nothing serves it; nil when something does.
  let unservedPath: String?

  var body: [UInt8] = []
  /// Whether the body is complete.
  var isBodyWhole: Bool
  /// The name of the device as far as it is known; empty while it is not.
  var device: String
  /// Not nil when the request is recorded.
  var draft: JournalDraft?
  /// The fault injected into the request.
  var fault: AppliedFault?
  /// Whether it is a refresh that an administrator has made fail.
  var isBroken = false
  /// Whether the key of its token was already looked up among those of other servers.
  var hasLookedForKey = false
  /// The number of records that a fault withholds from the store although they are acknowledged.
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

  /// The request target, as the head names it.
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

  /// The name of the injected fault, of any kind.
  var faultName: String? { fault?.fault.kind.rawValue ?? (isBroken ? Self.brokenRefresh : nil) }

  static let brokenRefresh = "breakRefresh"

  /// Whether it is an upload, or was meant as one, whose body may name the device; that name overrides the path's.
  var mayNameDevice: Bool {
    deviceHeader == nil && (route.deviceOperation == .uploadLocations || unservedPath != nil)
  }

  /// Returns nil when a name is too long to be stored.
  func identity(_ name: String?) -> DeviceIdentity? {
    guard let name, max(name.utf8.count, run.utf8.count) <= DeviceIdentity.nameBytesMax else { return nil }
    return DeviceIdentity(run: run, name: name)
  }

  /// The run that is asked for; nil, for all runs, when none is named.
  var optionalRun: String? { query.text("run") ?? (run.isEmpty ? nil : run) }
}

extension Exchange {
  /// The text after `Bearer ` in the Authorization field; the scheme is case-insensitive (RFC 9110 §11.1).
  var bearer: [UInt8]? {
    let scheme = Array("bearer ".utf8)
    guard let authorization, authorization.count > scheme.count else { return nil }
    for (byte, letter) in zip(authorization, scheme) where byte | 0x20 != letter | 0x20 { return nil }
    return Array(authorization[scheme.count...].drop { $0 == UInt8(ascii: " ") })
  }

  /// The media type; nil when there is none, or it cannot be parsed.
  var mediaType: HTTP1.MediaType? {
    guard let contentType else { return nil }
    do throws(HTTPError) { return try HTTP1.MediaType(parsing: contentType.span) } catch { return nil }
  }
}
