import Base
package import Contract
package import HTTP1
import Network
package import Store
import Threads

/// The settings of a server. Every property is a flag of `rollingroad serve`.
public struct ServerConfiguration: Sendable {
  /// Whether uploads need an access token.
  public enum Authentication: String, Sendable, CaseIterable {
    /// No token is needed and none is refused; a token that this server issued still identifies its device.
    case off
    /// A token is checked when there is one, and a bad one is refused with 401; a request without one is identified by its
    /// header, body or path.
    case optional
    /// A request without a valid token gets 401.
    case required
  }

  /// The treatment of a batch with an invalid record.
  public enum Policy: String, Sendable, CaseIterable {
    /// The record is quarantined with its reason and the batch is acknowledged, because a refused batch would block the head of
    /// the device's queue forever.
    case lenient
    /// The batch is refused with 422 and a list of its errors; nothing is stored.
    case strict
  }

  /// Addresses to listen on: `127.0.0.1:8080`, `[::1]:0`; port 0 picks a free one.
  public var listen = "127.0.0.1:8080"
  /// TLS on an address of its own, beside the plain one; nil for none.
  public var tls: TLSSettings?
  /// The data folder, made when it is missing, `:memory:`, or the URI of a PostgreSQL database that several servers share.
  public var data = "./rollingroad-data"
  /// With a database: this server's own folder, for the journal and the development authority; nil for a journal in memory.
  public var nodeData: String?
  /// The token that `/admin` requires; without one, only clients on this machine may use it.
  public var adminToken: String?
  /// The required value of `?key=` in uploads of device logs; nil for none. SDKs for iOS send no header fields with a log, so
  /// that a secret can only be part of the URL.
  public var logKey: String?
  /// Whether uploads need an access token.
  public var authentication = Authentication.off
  /// An issuer whose tokens are accepted beside those of this server; nil for none. Requires a mode other than `off`.
  public var foreignIssuer: ForeignIssuerSettings?
  /// The lifetime of an access token; nil for an hour, or the default of the `--identity` provider.
  public var accessSeconds: Int?
  /// The lifetime of an unused refresh token; nil for 90 days, or the default of the provider.
  public var refreshSeconds: Int?
  /// Whether a refresh returns a new refresh token and invalidates the old one; nil for yes, or the default of the provider.
  public var rotatesRefreshTokens: Bool?
  /// How long a used refresh token still gets the same successor; nil for 30 seconds, or the default of the provider.
  public var refreshGraceSeconds: Int?
  /// The identity provider that the server poses as; nil for none.
  package var identity: IdentitySettings?
  /// The treatment of a batch with an invalid record.
  public var policy = Policy.lenient
  /// The number of event loops, each a thread; nil for one per processor.
  public var loops: Int?
  /// A key of the body that holds the records, in addition to the keys that are recognized anyway.
  public var rootProperty: String?
  /// The `locationTemplate` of the app, verbatim; nil when its records use the default schema or one of its usual short forms.
  /// Without it the server cannot know what the elements of an array mean, nor the app's own keys.
  public var locationTemplate: String?
  /// The `geofenceTemplate` of the app.
  public var geofenceTemplate: String?
  /// The templates of further apps.
  package var otherTemplates: [TemplateSchema] = []
  /// The `rootProperty` of each further app.
  package var otherRoots: [String] = []
  /// The number of days of recorded time that are kept; nil for all.
  public var retainDays: Int?
  /// The size of stored data, in bytes, above which the oldest day is deleted; nil for no limit.
  public var retainBytes: Int64?
  /// The length of the longest accepted body, in bytes.
  public var bodyBytesMax: Int {
    get { http.bodyBytes }
    set { http.bodyBytes = newValue }
  }
  /// The memory for all incoming bodies, in bytes, beyond the first 64 KiB of each; one body of maximum length always fits.
  public var bodyMemoryMax = 12 * 1_048_576
  /// The maximum of open connections, all loops together; nil for as many as the process may open.
  public var connectionsMax: Int?
  /// How long a connection may be silent between requests.
  public var idleSeconds = 60
  /// How long the head of a request may take, from its first byte.
  public var headSeconds = 10
  /// How long a body may take, whatever its length.
  public var bodySeconds = 900
  /// How long a body may arrive at less than `bodyBytesPerSecond`.
  public var bodyGraceSeconds = 10
  /// The average rate that a body must sustain after the grace period; it stops clients that send a byte now and then.
  public var bodyBytesPerSecond = 1_024
  /// How long a client may read nothing of its answer.
  public var writeSeconds = 30
  /// The share of requests that is written to the journal, 0 to 1.
  public var journalShare = 1.0
  /// The tile source of the page's map; nil for none.
  public var tiles: MapTiles?
  /// The sinks that stored records are forwarded to.
  package var forwards: [ForwardTarget] = []
  /// Whether a new sink also gets the records stored earlier.
  package var forwardsFromStart = false
  /// The proxy whose page and administration this is; nil for a server of its own.
  package var proxy: ProxyRole?
  /// The tolerated difference between the clocks of token issuers and this server.
  public var clockSkewSeconds = 5

  package var http: HTTPLimits = {
    // A week's queue without network (SDK §22, row 15).
    var limits = HTTPLimits()
    limits.bodyBytes = 10 * 1_048_576
    return limits
  }()

  /// Creates the default settings.
  public init() {}
}

extension ServerConfiguration {
  /// The error in a template; nil when there is none.
  package var templateProblem: String? {
    do throws(FieldError) { _ = try templates() } catch { return error.description }
    return nil
  }

  func templates() throws(FieldError) -> [TemplateSchema] {
    var schemas: [TemplateSchema] = []
    if let text = locationTemplate { schemas.append(try TemplateSchema(text, kind: .location)) }
    if let text = geofenceTemplate { schemas.append(try TemplateSchema(text, kind: .geofence)) }
    return schemas + otherTemplates
  }

  private var profile: IdentityProfile? { identity.map { .of($0.provider) } }

  var accessLifetime: Int { accessSeconds ?? profile?.accessSeconds ?? 3_600 }
  var refreshLifetime: Int { refreshSeconds ?? profile?.refreshSeconds ?? 90 * 86_400 }

  var refreshPolicy: RefreshPolicy {
    var policy = profile?.policy ?? RefreshPolicy()
    policy.rotates = rotatesRefreshTokens ?? policy.rotates
    policy.graceSeconds = refreshGraceSeconds ?? policy.graceSeconds
    return policy
  }

  /// How long a replaced key may still be needed.
  private var keyKeepTime: Nanoseconds {
    .seconds(Int64(accessLifetime + clockSkewSeconds)) + (offset < .zero ? .zero : offset)
  }

  private var offset: Nanoseconds { identity?.clockOffset ?? .zero }

  /// Returns nil without a provider; `place` is where its keys are stored.
  func issuer(at now: WallInstant, in place: KeyRing.Place) throws(ServerError) -> IdentityIssuer? {
    guard let identity, let profile else { return nil }
    // The server of a run in virtual time has its keys in stock, and no loops.
    let hasLoops = if case .stock = place { false } else { true }
    let ring = try KeyRing(
      profile.algorithm, keep: keyKeepTime, interval: identity.keyInterval, at: now, in: place
    ) { work in
      if hasLoops { NamedThread.started("key", work).detach() } else { work() }
    }
    return IdentityIssuer(profile: profile, settings: identity, ring: ring)
  }

  /// The storage of the records, in a form that may be shown.
  package var shownData: String { place.shown }

  var place: DataLocation {
    var store = StoreConfiguration(folder: data, retainDays: retainDays, retainBytes: retainBytes)
    store.sinks = forwards.map(\.name)
    store.sinksBeginAtStart = forwardsFromStart
    return DataLocation(store, nodeData: nodeData)
  }

  var network: NetworkConfiguration {
    var network = NetworkConfiguration()
    network.loops = loops ?? Processors.count
    network.connectionsMax = connectionsMax ?? network.connectionsMax
    network.times.idle = .seconds(Int64(idleSeconds))
    network.times.head = .seconds(Int64(headSeconds))
    network.times.body = .seconds(Int64(bodySeconds))
    network.times.bodyGrace = .seconds(Int64(bodyGraceSeconds))
    network.times.bodyBytesPerSecond = Int64(bodyBytesPerSecond)
    network.times.write = .seconds(Int64(writeSeconds))
    return network
  }
}

/// The tile source of the page's map. Without one the map draws only the graticule and requests nothing from other servers.
public struct MapTiles: Sendable, Equatable {
  /// A URL with `{z}`, `{x}` and `{y}`.
  let url: String
  /// Scheme, host and port: the only other origin whose images the page may load.
  let origin: String
  /// The attribution that the map shows; most providers require it.
  let credit: String

  /// Returns nil when `url` is not a tile URL. It becomes part of a header field and of the page, so only characters of a URL
  /// are allowed.
  public init?(url: String, credit: String = "") {
    guard let scheme = ["https://", "http://"].first(where: { url.hasPrefix($0) }) else { return nil }
    let isPlain = url.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-._~:/?@=&{}%[]".utf8.contains(byte)
      }
    }
    let host = url.dropFirst(scheme.count).prefix { $0 != "/" }
    guard isPlain, !host.isEmpty, !host.contains("{"), !host.contains("@"), !host.contains("?"),
      ["{z}", "{x}", "{y}"].allSatisfy({ url.contains($0) })
    else { return nil }
    self.url = url
    self.credit = credit
    origin = scheme + host
  }
}
