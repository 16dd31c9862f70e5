import Base
import Contract
import Engine
import Host
import Oracle
import Queue
import Scenario
import Testing
import Vocabulary

@testable import FleetSimulator

/// I12: a phone that keeps what is older than `maxDaysToPersist`, where it uploads nothing, is found out.
@Suite struct PurgeRuleTests {
  enum Doubt: CaseIterable {
    case none, young, forEver, asleep, justLaunched, justConfigured, clockSet, down, storeFails, underWay, purged
  }

  /// The time to live of a record is over while the phone rests (HttpConfig 40); the SDK looks each hour (SDK §7.4.2).
  @Test(arguments: Doubt.allCases) func anOldRecordIsGivenUp(_ doubt: Doubt) throws {
    let stage = Stage { $0.persistence.maxDaysToPersist = doubt == .forEver ? 0 : 1 }
    let record = stage.insert()
    if doubt == .storeFails { stage.begin(try Stage.fullDisk()) }
    if doubt == .down { stage.tell(.killed(isReboot: false)) }
    stage.wait(86_400)
    switch doubt {
    case .justLaunched: stage.wait(3_000)
    case .underWay: stage.send([record])
    case .purged: stage.delete(record, .age)
    default: break
    }
    if doubt == .justLaunched {
      stage.tell(.killed(isReboot: false))
      stage.tell(.launched(Launch()))
    }
    if doubt == .justConfigured {
      stage.wait(3_000)
      stage.tell(.configured(Runs.configuration()))
    }
    if doubt == .clockSet { stage.setBack(seconds: -7_200) }
    stage.wait(doubt == .young ? 3_500 : doubt == .justLaunched || doubt == .justConfigured ? 1_000 : 3_700)
    if doubt != .asleep { stage.wait(10) }
    let isNamed = stage.oracle.violations.violations.contains { $0.what.contains("it waits although") }
    #expect(isNamed == (doubt == .none))
  }
}
