import Database
import IngestServer
import TLS

extension Subcommand {
  static let trust = Subcommand(
    name: "trust",
    summary: "make phones and curl trust a server with --tls development",
    operands: "",
    operandCount: 0...0,
    flags: [
      .value("data", "DIR", "data folder of the server, or its --node-data", standard: "./rollingroad-data")
    ],
    details: """
      Writes a profile for iOS and a network security configuration for Android beside the authority, in the folder tls of
      the data folder, and prints what to do with them. The server has to have been started once with --tls development.
      The key of the authority (tls/authority.key) is enough to pose as any server to devices that trust it: use it for test
      devices only, and remove it from them after the test.
      """,
    run: { (invocation) throws(UsageError) in
      let process = invocation.process
      let data = invocation.values.text("data") ?? "./rollingroad-data"
      guard PostgresURI(data) == nil else {
        throw UsageError("--data: the authority is no part of a database; name the server's --node-data folder")
      }
      let authority = DevelopmentAuthority.development(in: data)
      do throws(TLSError) {
        guard let fingerprint = try authority.writeTrustFiles() else {
          process.writeError(
            "rollingroad trust: \(authority.authorityFile) is missing; start 'rollingroad serve --tls development' "
              + "with this data folder first")
          return .runtimeFailure
        }
        process.writeOutput(steps(authority, fingerprint))
        return .ok
      } catch {
        process.writeError("rollingroad trust: \(error)")
        return .runtimeFailure
      }
    })

  private static func steps(_ authority: DevelopmentAuthority, _ fingerprint: String) -> String {
    """
    authority: \(authority.authorityFile)
    SHA-256:   \(fingerprint)

    curl:
      curl --cacert \(authority.authorityFile) https://localhost:8443/readyz   # 8443: the port of --tls-listen

    iOS, a device:
      1. Send it \(authority.profileFile) (AirDrop or mail) and open it there; or read the code at /page/trust.html of the server.
      2. Settings > General > VPN & Device Management: install the profile.
      3. Settings > General > About > Certificate Trust Settings: switch the authority on.
    iOS, a simulator:
      xcrun simctl keychain booted add-root-cert \(authority.authorityFile)

    Android, in the project of the app:
      cp \(authority.authorityFile) app/src/main/res/raw/rollingroad_authority.pem
      cp \(authority.androidFile) app/src/main/res/xml/network_security_config.xml
      and in AndroidManifest.xml: <application android:networkSecurityConfig="@xml/network_security_config" …>

    The simulator and the other commands: --ca \(authority.authorityFile)
    """
  }
}
