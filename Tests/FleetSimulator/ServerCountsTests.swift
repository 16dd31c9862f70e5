import Base
import JSON
import Oracle
import Testing

@testable import FleetSimulator

/// What shards have seen of a server adds up, and what is said of it is said of the sum.
@Suite struct ServerCountsTests {
  private static func at(_ seconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
  }

  private func names(_ counts: ServerCounts...) -> [String] {
    var whole = ServerCounts()
    for part in counts { whole.add(part) }
    return whole.findings(LedgerSums()).map(\.name)
  }

  private func silent(since answer: Int64?, _ silences: Int64...) -> ServerCounts {
    var counts = ServerCounts()
    counts.lastAnswerAt = answer.map(Self.at)
    counts.silences = silences.isEmpty ? [:] : ["no answer in time": silences.count]
    counts.latestSilences = silences.map(Self.at)
    return counts
  }

  /// The phones of one shard may be without answers while those of another one have theirs.
  @Test func aServerIsSilentWhereNoShardHasAnAnswer() {
    #expect(names(silent(since: 10, 20, 30, 40)) == ["no-answers"])
    #expect(names(silent(since: 10, 20, 30, 40), silent(since: 50)) == [])
    #expect(names(silent(since: 10, 20, 30, 60), silent(since: 50, 70)) == [])
    #expect(names(silent(since: 10, 20, 60, 65), silent(since: 50, 70)) == ["no-answers"])
    #expect(names(silent(since: nil, 1), silent(since: nil, 2, 3)) == ["no-answers"])
  }

  @Test func aShardWhoseRecordsAreTakenTakesNothingFromTheOthers() {
    var (full, empty) = (ServerCounts(), ServerCounts())
    (full.fullDevices, full.waitingRecords, full.lastAnswers) = (1, 4, ["status 503": 1])
    #expect(names(full, empty) == ["not-drained"] && names(empty, full) == ["not-drained"])
    empty.isCut = true
    #expect(names(full, empty) == [])
  }

  /// Phones that have given up all their records show something only where no phone had one taken.
  @Test func thatNoRecordWasTakenIsSaidOfAllRecords() {
    var counts = ServerCounts()
    counts.answeredDevices = 1
    var sums = LedgerSums()
    (sums.created, sums.expired) = (3, 3)
    #expect(counts.findings(sums).map(\.name) == ["not-drained"])
    (sums.created, sums.stored) = (4, 1)
    #expect(counts.findings(sums).isEmpty)
  }

  @Test func theWorstStormIsTheSample() {
    var (mild, worst) = (ServerCounts(), ServerCounts())
    (mild.stormingDevices, mild.stormUploads, mild.worstStorm, mild.worstStormUploads) = (1, 200, "cars-0", 200)
    (worst.stormingDevices, worst.stormUploads, worst.worstStorm, worst.worstStormUploads) = (1, 300, "cars-1", 300)
    mild.add(worst)
    let finding = mild.findings(LedgerSums())[0]
    #expect(finding.text.contains("500 uploads of 2 devices") && finding.details == ["device cars-1: 300 uploads"])
  }

  @Test func whatIsWrittenIsReadBack() throws {
    var counts = silent(since: 5, 6, 7, 8)
    (counts.tokenURL, counts.devicesWithoutToken, counts.registrationAnswers) = ("/token", 2, ["status 404": 2])
    (counts.isCut, counts.fullSamples, counts.worstStorm, counts.worstStormUploads) = (true, ["a"], "cars-1", 7)
    #expect(try ServerCounts(SummaryNode(value: counts.json, path: "")) == counts)
  }
}
