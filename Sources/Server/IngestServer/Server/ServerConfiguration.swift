import Base
package import Contract
package import HTTP1
import Network
package import Store

/// The settings of a server. Every property is a flag of `rollingroad serve`.
public struct ServerConfiguration: Sendable {
  /// Whether uploads need an access token.
  public enum Authentication: String, Sendable, CaseIterable {
    /// No token is needed and none is refused; one that this server has made still names its device.
    case off
    /// A token is checked when there is one, and a bad one is refused with 401; a request without is named by what else it
    /// says.
    case optional
    /// A request without a good token gets 401.
    case required
  }

  /// What becomes of a batch with a record that cannot be understood.
  public enum Policy: String, Sendable, CaseIterable {
    /// The record is put aside with its reason and the batch is acknowledged, because a refusal would stay at the head of
    /// the device's queue for ever.
    case lenient
    /// The batch is refused with 422 and a list of what is wrong; nothing is stored.
    case strict
  }

  /// Addresses to listen on: `127.0.0.1:8080`, `[::1]:0`; port 0 picks a free one.
  public var listen = "127.0.0.1:8080"
  /// TLS on an address of its own, beside the plain one; nil for none.
  public var tls: TLSSettings?
  /// The data folder, made when it is missing, `:memory:`, or the URI of a PostgreSQL database that several servers share.
  public var data = "./rollingroad-data"
  /// Beside a database: the folder of this server's own, for the journal and the authority of development; nil for a journal in
  /// memory.
  public var nodeData: String?
  /// The token that `/admin` needs; without one, only this machine may use it.
  public var adminToken: String?
  /// What `?key=` of a device log has to say; nil: nothing. SDKs for iOS send no fields with a log, so that a secret can
  /// only stand in the URL.
  public var logKey: String?
  /// Whether uploads need an access token.
  public var authentication = Authentication.off
  /// An issuer whose tokens uploads may carry beside those of this server; nil for none. Needs another mode than `off`.
  public var foreignIssuer: ForeignIssuerSettings?
  /// How long an access token is good; nil for an hour, or what the provider of `--identity` says.
  public var accessSeconds: Int?
  /// How long a refresh token is good when it is not used; nil for 90 days, or what the provider says.
  public var refreshSeconds: Int?
  /// Whether a refresh gives a new refresh token and uses the old one up; nil for yes, or what the provider does.
  public var rotatesRefreshTokens: Bool?
  /// How long a used refresh token still gets the same successor; nil for 30 seconds, or what the provider does.
  public var refreshGraceSeconds: Int?
  /// The identity provider that the server poses as; nil for none.
  package var identity: IdentitySettings?
  /// What becomes of a batch with a record that cannot be understood.
  public var policy = Policy.lenient
  /// Event loops, each a thread; nil for one per processor.
  public var loops: Int?
  /// A key of the body that holds the records, besides those that are found anyway.
  public var rootProperty: String?
  /// The `locationTemplate` of the app, word for word; nil where its records have the default schema or its usual short
  /// forms. Without it the server does not know what the elements of an array mean, nor a key of the app's own.
  public var locationTemplate: String?
  /// The `geofenceTemplate` of the app.
  public var geofenceTemplate: String?
  /// Those of other apps.
  package var otherTemplates: [TemplateSchema] = []
  /// The `rootProperty` of each of them.
  package var otherRoots: [String] = []
  /// Days of recorded time that are kept; nil for ever.
  public var retainDays: Int?
  /// Bytes of stored data above which the oldest day is given up; nil for no limit.
  public var retainBytes: Int64?
  /// The longest body that is read, in bytes.
  public var bodyBytesMax: Int {
    get { http.bodyBytes }
    set { http.bodyBytes = newValue }
  }
  /// The memory of all bodies that are coming in, in bytes, without the first 64 KiB of each; one of the longest always fits.
  public var bodyMemoryMax = 12 * 1_048_576
  /// Open connections, all loops together; nil for what the process may open.
  public var connectionsMax: Int?
  /// How long a connection may be silent between requests.
  public var idleSeconds = 60
  /// How long the head of a request may take, from its first byte.
  public var headSeconds = 10
  /// How long a body may take, however long it is.
  public var bodySeconds = 900
  /// How long a body may be slower than `bodyBytesPerSecond`.
  public var bodyGraceSeconds = 10
  /// What a body has to keep up on average when the grace is over; it ends the clients that send a byte now and then.
  public var bodyBytesPerSecond = 1_024
  /// How long a client may take nothing of its answer.
  public var writeSeconds = 30
  /// The part of the requests that is written into the journal, 0 to 1.
  public var journalShare = 1.0
  /// Where the page's map has its tiles from; nil for none.
  public var tiles: MapTiles?
  /// Where each stored record goes on to.
  package var forwards: [ForwardTarget] = []
  /// A sink that is new gets what is stored already, and not only what comes.
  package var forwardsFromStart = false
  /// The proxy whose page and administration this is; nil for a server of its own.
  package var proxy: ProxyRole?
  /// How far the clocks of those who make tokens and of this server may differ.
  public var clockSkewSeconds = 5

  package var http: HTTPLimits = {
    // What a week without network makes of a queue (SDK §22, row 15).
    var limits = HTTPLimits()
    limits.bodyBytes = 10 * 1_048_576
    return limits
  }()

  /// The defaults.
  public init() {}
}

extension ServerConfiguration {
  /// What is wrong with a template; nil when nothing is.
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

  /// How long a key may be needed after another has taken its place.
  private var keyKeepTime: Nanoseconds {
    .seconds(Int64(accessLifetime + clockSkewSeconds)) + (offset < .zero ? .zero : offset)
  }

  private var offset: Nanoseconds { identity?.clockOffset ?? .zero }

  /// Nil without a provider; `place` is where its keys are kept.
  func issuer(at now: WallInstant, in place: KeyRing.Place) throws(ServerError) -> IdentityIssuer? {
    guard let identity, let profile else { return nil }
    let ring = try KeyRing(
      profile.algorithm, keep: keyKeepTime, interval: identity.keyInterval, at: now, in: place)
    return IdentityIssuer(profile: profile, settings: identity, ring: ring)
  }

  /// Where the records are, as it may be shown.
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

/// Where the page's map has its tiles from. Without them it draws the graticule alone and asks this server only.
public struct MapTiles: Sendable, Equatable {
  /// With `{z}`, `{x}` and `{y}` in it.
  let url: String
  /// Scheme, host and port: the one other origin whose images the page may show.
  let origin: String
  /// The source that the map names; most providers ask for it.
  let credit: String

  /// Nil when it is no address of tiles. The text becomes part of a header field and of the page, so that only what a URL
  /// needs may stand in it.
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
