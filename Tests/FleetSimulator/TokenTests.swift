import Base
import Contract
import Oracle
import Scenario
import Testing
import World

@testable import FleetSimulator

/// Devices with tokens: the app registers, the SDK refreshes, and a lost token costs no record.
@Suite struct TokenTests {
  private func setup(
    seed: UInt64 = 51, minutes: Int64 = 8, lifetime: Nanoseconds = .seconds(3_600), faults: [Fault] = [],
    fleets: FleetSetup...
  ) -> RunSetup {
    var setup = Runs.setup(seed: seed, minutes: minutes, faults: faults)
    setup.fleets = fleets.isEmpty ? [Runs.drivers(3, radio: .constant(.lte))] : fleets
    var authorization = TargetAuthorization()
    (authorization.strategy, authorization.accessTokenLifetime) = (.jwt, lifetime)
    setup.authorization = authorization
    return setup
  }

  private func fault(_ seconds: Int64, lasting: Int64 = 0, _ edit: (inout AuthorizationFault) -> Void) -> Fault {
    var fault = AuthorizationFault()
    edit(&fault)
    return Fault(
      name: "auth", start: .seconds(seconds), duration: .seconds(lasting), action: .authorization(fault))
  }

  @Test func eachDeviceRegistersOnce() throws {
    let (report, seen) = try Runs.watch(setup())
    #expect(report.isRight && report.sums.stored == report.sums.created && report.sums.created > 100)
    #expect(seen.requests(to: "/api/register") == 3 && seen.requests(to: "/api/refresh_token") == 0)
  }

  @Test func tokensThatGrowOldAreRefreshed() throws {
    let (report, seen) = try Runs.watch(setup(lifetime: .seconds(120)))
    #expect(report.isRight)
    // Eight minutes by two, for three devices, and ten to drain, and as often as that only.
    #expect((6...24).contains(seen.requests(to: "/api/refresh_token")))
    #expect(seen.requests(to: "/api/register") == 3)
  }

  @Test func aWaveOfExpiryIsOneRefreshForEach() throws {
    let (report, seen) = try Runs.watch(setup(faults: [fault(180) { $0.expireAllAccessTokens = true }]))
    #expect(report.isRight)
    #expect(seen.requests(to: "/api/refresh_token") == 3 && seen.requests(to: "/api/register") == 3)
    #expect(seen.outcomes.contains { $0.status == 401 })
  }

  @Test func aRevokedDeviceRegistersAgain() throws {
    let (report, seen) = try Runs.watch(setup(faults: [fault(180) { $0.revokeAllTokens = true }]))
    #expect(report.isRight && report.sums.stored == report.sums.created)
    #expect(seen.requests(to: "/api/register") == 6)
  }

  /// An attempt that is due while the app is off waits for its start, and the run goes on meanwhile.
  @Test func anAppThatIsOffAsksForNoToken() throws {
    let habits = HabitRates(killsPerHour: 60, rebootsPerHour: 60)
    let cars = Runs.drivers(3, habits: habits, radio: .constant(.lte))
    let (report, seen) = try Runs.watch(setup(faults: [.tunnel(0..<300)], fleets: cars))
    #expect(report.isRight && report.sums.created > 10)
    #expect(seen.requests(to: "/api/register") >= 3)
  }

  @Test func aRefreshThatFailsIsTriedAgainByTheSDK() throws {
    let wave = fault(180, lasting: 120) { ($0.expireAllAccessTokens, $0.refreshStatus) = (true, 503) }
    let (report, seen) = try Runs.watch(setup(faults: [wave]))
    #expect(report.isRight)
    #expect(seen.requests(to: "/api/register") == 3)
    let refreshes = seen.requests(to: "/api/refresh_token")
    #expect(refreshes > 6 && refreshes <= seen.inserts(from: 170, to: 310) + 12)
  }

  @Test func aDeviceWithoutNetworkRegistersLater() throws {
    let (report, seen) = try Runs.watch(setup(faults: [.tunnel(0..<100)]))
    #expect(report.isRight && report.sums.stored == report.sums.created)
    #expect(seen.outcomes.contains { $0.status == 200 && $0.seconds < 130 })
  }

  @Test func tokensOfOneFleetAreNoAffairOfAnother() throws {
    let wave = { (fleet: String) in
      var fault = fault(180) { $0.expireAllAccessTokens = true }
      fault.selection.fleet = fleet
      return fault
    }
    let cars = Runs.drivers(1, name: "cars", radio: .constant(.lte))
    let vans = Runs.drivers(6, name: "vans", radio: .constant(.lte))
    let both = try Runs.run(setup(minutes: 5, faults: [wave("vans")], fleets: vans, cars))
    let alone = try Runs.run(setup(minutes: 5, fleets: cars))
    #expect(both.fleetHashes[1] == alone.fleetHashes[0])
    #expect(try Runs.run(setup(minutes: 5, faults: [wave("vans")], fleets: vans, cars)).hash == both.hash)
  }
}

/// Devices that get their tokens from an identity provider.
@Suite struct IdentityRunTests {
  private func setup(
    _ provider: IdentityProvider, minutes: Int64, faults: [Fault] = [],
    _ change: (inout TargetAuthorization) -> Void = { _ in }
  )
    -> RunSetup
  {
    var setup = Runs.setup(seed: 51, minutes: minutes, faults: faults)
    setup.fleets = [Runs.drivers(3, radio: .constant(.lte))]
    var authorization = TargetAuthorization()
    (authorization.strategy, authorization.identity) = (.jwt, provider)
    change(&authorization)
    setup.authorization = authorization
    return setup
  }

  private func fault(_ seconds: Int64, _ edit: (inout AuthorizationFault) -> Void) -> Fault {
    var fault = AuthorizationFault()
    edit(&fault)
    return Fault(name: "auth at \(seconds) s", start: .seconds(seconds), duration: .zero, action: .authorization(fault))
  }

  /// Each logs in once, refreshes as often as its tokens end, and no upload is refused: the SDK knows when a token ends.
  @Test(arguments: IdentityProvider.allCases)
  func aPhoneLivesWithEachProvider(provider: IdentityProvider) throws {
    let (report, seen) = try Runs.watch(setup(provider, minutes: 30) { $0.accessTokenLifetime = .seconds(300) })
    #expect(report.isRight && report.sums.stored == report.sums.created && report.sums.created > 300)
    let ways = provider.requests(for: "")
    let refreshes = seen.requests(to: ways.refreshPath)
    #expect(seen.requests(to: ways.login.name) > 0 && refreshes >= 12, "\(refreshes) refreshes")
    #expect(!seen.outcomes.contains { $0.status == 401 }, "no token is shown that is over")
  }

  /// The wave and the new key at once: one refusal and one refresh for each phone, nothing refused after that, nothing lost.
  @Test(arguments: [IdentityProvider.keycloak, .supabase, .own])
  func aKeyRotationInAWaveOfExpiryCostsNothing(provider: IdentityProvider) throws {
    let faults = [
      fault(180) { ($0.expireAllAccessTokens, $0.rotateKeys) = (true, true) }, fault(330) { $0.rotateKeys = true },
    ]
    let (report, seen) = try Runs.watch(setup(provider, minutes: 8, faults: faults))
    #expect(report.isRight, "\(report.violations)")
    #expect(report.sums.stored == report.sums.created)
    #expect(seen.outcomes.count { $0.status == 401 } <= 3)
    #expect(seen.requests(to: provider.requests(for: "").refreshPath) >= 3)
  }

  @Test func aReusableRefreshTokenStaysTheSame() throws {
    let (report, _) = try Runs.watch(
      setup(.auth0, minutes: 20) {
        ($0.accessTokenLifetime, $0.refreshRotation) = (.seconds(120), .reusable)
      })
    #expect(report.isRight && report.sums.stored == report.sums.created)
  }
}
