import Base
import HTTP1
import Network
import Store

/// The settings of a proxy.
package struct ProxyConfiguration: Sendable {
  package let upstream: UpstreamTarget
  /// The address that clients connect to.
  package var listen = "127.0.0.1:8090"
  /// The page and the administration, which have an address of their own, because every path of the first is the upstream's.
  /// The data folder stores the recorded traffic.
  package var administration = ServerConfiguration()
  /// Whether the upstream gets the Host of the client instead of its own.
  package var keepsHost = false
  package var times = UpstreamTimes()

  package init(_ upstream: UpstreamTarget) {
    self.upstream = upstream
    administration.listen = "127.0.0.1:8091"
  }
}

/// A proxy between devices and any backend, with a server beside it that shows the traffic and can inject faults.
package final class ProxyServer: Sendable {
  private let server: IngestServer
  let loops: LoopGroup<ProxyEnd>

  package init(
    _ configuration: ProxyConfiguration, judge: (any AnswerJudge)? = nil,
    notify: @escaping @Sendable (ServerNotice) -> Void = { _ in }
  ) throws(ServerError) {
    let address: SocketAddress
    let listen: ListenAddress
    do throws(UpstreamTarget.Problem) { address = try configuration.upstream.resolve() } catch {
      throw ServerError(configuration: error.description)
    }
    do throws(NetworkError) {
      listen = try ListenAddress(parsing: configuration.listen)
      try listen.refuseWhenTaken()
    } catch { throw ServerError(error) }
    if listen.address == address {
      throw ServerError(
        configuration: "the proxy cannot be its own upstream; use another --listen or another --upstream")
    }
    var administration = configuration.administration
    administration.proxy = ProxyRole(upstream: configuration.upstream.url, judge: judge)
    server = try IngestServer(administration, notify: notify)
    let context = ProxyContext(
      server.context, target: configuration.upstream, name: .own(), keepsHost: configuration.keepsHost,
      bodyBytesMax: administration.bodyBytesMax, judge: judge)
    do throws(NetworkError) {
      loops = try LoopGroup(administration.network, on: listen) { _, _, peers in
        let scratch = ProxyScratch()
        let pool = UpstreamPool(peers, to: address, limits: context.limits, times: configuration.times)
        return { accepted in
          ProxySession(context, scratch: scratch, pool: pool, token: accepted.token)
        }
      }
    } catch {
      server.stop()
      throw ServerError(error)
    }
    server.backend.watch(others: { [weak loops] in loops?.figures.reduce(LoopFigures(), +) ?? LoopFigures() })
  }

  /// The address that clients connect to.
  package var url: String { "http://\(loops.address)" }
  /// The address of the page and the administration.
  package var administrationURL: String { server.url }

  /// Stops accepting connections, completes the exchanges in progress, and closes.
  package func stop(within seconds: Int = 5) {
    loops.drain(within: .seconds(Int64(seconds)))
    loops.wait()
    server.stop()
  }

  /// Serves until SIGTERM or SIGINT; a second signal stops it at once. Must be called on the main thread before any other is
  /// started.
  package static func run(
    _ configuration: ProxyConfiguration, judge: (any AnswerJudge)?,
    notify: @escaping @Sendable (ServerNotice) -> Void, isReady: (ProxyServer) -> Void
  ) throws(ServerError) {
    let signals: SignalWatcher
    do throws(NetworkError) { signals = try SignalWatcher.forEnding() } catch { throw ServerError(error) }
    let proxy = try ProxyServer(configuration, judge: judge, notify: notify)
    isReady(proxy)
    _ = proxy.loops.run(until: signals, drainWithin: .seconds(5))
    proxy.server.stop()
  }
}
