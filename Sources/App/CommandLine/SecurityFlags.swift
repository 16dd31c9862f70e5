import CurlTransport
import Scenario

/// The flags for https and for proxies.
enum SecurityFlags {
  static let all: [Flag] =
    trust + [
      .values("resolve", "NAME:PORT:ADDRESS", "address of a host name, instead of asking a name server"),
      .value("proxy", "URL", "proxy for all connections [for https only: HTTPS_PROXY or ALL_PROXY]"),
      http2,
    ]

  static let http2 = Flag.toggle(
    "http2", "offer HTTP/2 under https, as phones do; a server that does not know it answers in HTTP/1.1")

  static let trust: [Flag] = [
    .value("ca", "FILE", "CA certificates to trust for https, in PEM form [those of the system]"),
    .toggle(
      "insecure",
      "accept any certificate of the server; anyone on the network path can then read and change the traffic"),
    .value("client-cert", "FILE", "certificate to show to the server, in PEM form [none]"),
    .value("client-key", "FILE", "key of --client-cert, if it is not in the same file"),
  ]

  /// The note in the results of a run.
  static let note = "insecure: the certificate of the server was not checked"
  static let warning =
    "warning: --insecure: the server's certificate is not checked, and the connection is not confidential"

  /// Refuses unreadable files here, because libcurl reports them for each request only.
  static func check(_ values: FlagValues, _ process: ProcessContext) throws(UsageError) {
    try checkFiles(["ca", "client-cert", "client-key"].map { ("--\($0)", values.text($0)) }, process)
    if values.text("client-key") != nil, values.text("client-cert") == nil {
      throw UsageError("--client-key needs --client-cert")
    }
    if values.isOn("insecure"), values.text("ca") != nil {
      throw UsageError("--insecure and --ca cannot be used together")
    }
    if values.isOn("insecure") { process.writeError(warning) }
  }

  /// Returns the files of a scenario's target that cannot be read. Flags have set them, too.
  static func problems(of security: TargetSecurity, _ process: ProcessContext) -> [ScenarioProblem] {
    let files = [("ca", security.authorities), ("clientCert", security.certificate), ("clientKey", security.key)]
    return files.compactMap { key, path in
      guard let path, process.readFile(path) == nil else { return nil }
      return ScenarioProblem(
        .unresolved, "target.tls.\(key)", "cannot read the file '\(path)'",
        remedy: "name one that can be read, by its path from the working directory")
    }
  }

  static func checkFiles(
    _ files: [(setting: String, path: String?)], _ process: ProcessContext
  ) throws(UsageError) {
    for case (let setting, let path?) in files where process.readFile(path) == nil {
      throw UsageError("\(setting): cannot read \(path)")
    }
  }
}

extension TransportConfiguration {
  /// Takes the values of the flags of `SecurityFlags`; call `check` before.
  init(_ values: FlagValues) {
    self.init()
    certificateAuthorities = values.text("ca")
    checksServer = !values.isOn("insecure")
    (clientCertificate, clientKey) = (values.text("client-cert"), values.text("client-key"))
    resolvedNames = values.texts("resolve")
    proxy = values.text("proxy")
    if values.isOn("http2") { httpVersion = .http2 }
    trustSetting = "--ca FILE"
  }
}
