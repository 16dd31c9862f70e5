import AnswerCheck
import Base
import IngestServer
import Network
import Store

extension Subcommand {
  static let proxy = Subcommand(
    name: "proxy",
    summary: "record, check and disturb the traffic between devices and any backend, as a proxy",
    operands: "",
    operandCount: 0...0,
    flags: [
      .value("upstream", "URL", "backend to pass requests on to, such as http://127.0.0.1:3000 (required)"),
      .value(
        "listen", "ADDRESS", "address and port for devices; port 0 picks a free port", standard: "127.0.0.1:8090"),
      .value(
        "admin-listen", "ADDRESS", "address and port of the page and the administration", standard: "127.0.0.1:8091"),
      .value(
        "data", "DIR", "folder for all data, or :memory: to keep the data in memory only",
        standard: "./rollingroad-proxy"),
      ServerFlags.adminToken,
      .toggle("preserve-host", "send the Host that the device wrote, not that of the upstream"),
      .value("connect-timeout", "TIME", "timeout for connecting to the upstream", standard: "5s"),
      .value(
        "upstream-timeout", "TIME", "timeout for the upstream to send the next bytes of an answer", standard: "60s"),
      .value("upstream-idle", "TIME", "how long an unused connection to the upstream is kept", standard: "4s"),
      ServerFlags.loops,
      ServerFlags.root,
      ServerFlags.locationTemplate,
      ServerFlags.geofenceTemplate,
      ServerFlags.journal("share of the requests to write into the request log; off keeps no ledger either"),
    ],
    details: """
      Passes every request on to the upstream and every answer back, and keeps what it sees: the page, the request
      log and /admin/v1 are at the second address, as those of 'serve'. A record counts as stored when the upstream
      has acknowledged it. Injected faults work in front of any backend. Prints "listening URL" and
      "administration URL" on standard output when it is ready. The exit codes are those of 'serve'.
      """,
    examples: [
      "rollingroad proxy --upstream http://127.0.0.1:3000",
      "rollingroad proxy --upstream http://127.0.0.1:3000 --listen 127.0.0.1:0 --admin-listen 127.0.0.1:0 --data :memory:",
    ],
    run: { (invocation) throws(UsageError) in
      let configuration = try ProxyConfiguration(invocation.values)
      let process = invocation.process
      let log = Log(of: process)
      let judge = ProxyJudge { finding in
        log.warning(
          "clause broken",
          [
            "clause": .integer(Int64(finding.clause.number)), "rule": .string(finding.clause.rule),
            "detail": .string(finding.detail),
          ])
      }
      return process.serve(as: "proxy", log, failure: "cannot start the proxy") { () throws(ServerError) in
        try ProxyServer.run(configuration, judge: judge, notify: { log.tell($0) }) { proxy in
          log.info(
            "listening",
            [
              "url": .string(proxy.url), "administration": .string(proxy.administrationURL),
              "upstream": .string(configuration.upstream.url), "data": .string(configuration.administration.data),
            ])
          process.writeOutput("listening \(proxy.url)")
          process.writeOutput("administration \(proxy.administrationURL)")
        }
      }
    })
}

extension ProxyConfiguration {
  init(_ values: FlagValues) throws(UsageError) {
    guard let text = values.text("upstream") else {
      throw UsageError("--upstream is missing: the URL of the backend, such as http://127.0.0.1:3000")
    }
    do throws(UpstreamTarget.Problem) { self.init(try UpstreamTarget(parsing: text)) } catch {
      throw UsageError("--upstream: \(error.description)")
    }
    listen = values.text("listen") ?? listen
    administration.listen = values.text("admin-listen") ?? administration.listen
    for address in [listen, administration.listen] {
      do throws(NetworkError) { _ = try ListenAddress(parsing: address) } catch { throw UsageError(error.description) }
    }
    administration.data =
      try values.read("data", expected: "a folder or :memory:") { $0.isEmpty || $0.contains("://") ? nil : $0 }
      ?? "./rollingroad-proxy"
    try ServerFlags.read(values, into: &administration)
    keepsHost = values.isOn("preserve-host")
    times.connect = try values.time("connect-timeout") ?? times.connect
    times.answer = try values.time("upstream-timeout") ?? times.answer
    times.idle = try values.time("upstream-idle") ?? times.idle
  }
}

extension FlagValues {
  fileprivate func time(_ name: String) throws(UsageError) -> Nanoseconds? {
    try read(name, expected: "a time above 0, such as 500ms or 10s") { text in
      Nanoseconds(text: text).flatMap { $0 > .zero ? $0 : nil }
    }
  }
}
