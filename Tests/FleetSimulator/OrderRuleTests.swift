import Contract
import Oracle
import Scenario
import Testing
import Upload

@testable import FleetSimulator

/// An upload holds its rows while new tokens are on their way: the order that is configured meanwhile counts for the next ones
/// (SDK §8.4, §9.2).
@Suite struct OrderRuleTests {
  @Test(arguments: [(true, []), (false, [Invariant.order])])
  func rowsThatWaitedForATokenKeepTheirOrder(isRefreshed: Bool, violated: [Invariant]) {
    let stage = Stage { $0.persistence.locationsOrderDirection = .descending }
    let records = (0..<3).map { _ in stage.insert() }
    if isRefreshed {
      let refresh = stage.send([], .refresh)
      stage.pass(seconds: 1)
      stage.end(refresh, status: 200)
    }
    order(.ascending, stage)
    stage.upload([records[2], records[1]])
    stage.upload([records[0]])
    #expect(stage.violated.filter { $0 == .order } == violated)
  }

  /// Neither order has them so, nor does an old one count twice.
  @Test(arguments: [[1, 2, 0], [2, 1]])
  func rowsInNoOrder(rows: [Int]) {
    let stage = Stage { $0.persistence.locationsOrderDirection = .descending }
    let records = (0..<4).map { _ in stage.insert() }
    let refresh = stage.send([], .refresh)
    stage.end(refresh, status: 200)
    order(.ascending, stage)
    if rows.count == 2 { stage.upload([records[3]]) }
    stage.upload(rows.map { records[$0] })
    #expect(stage.violated.contains(.order))
  }

  private func order(_ order: LocationsOrder, _ stage: Stage) {
    var configuration = Runs.configuration()
    configuration.http.url = "http://server.example/locations"
    configuration.persistence.locationsOrderDirection = order
    stage.tell(.configured(configuration))
  }
}
