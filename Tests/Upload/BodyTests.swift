import Base
import Contract
import JSON
import Testing
import Vocabulary

@testable import Upload

/// What is in a request (SDK §8.1 to §8.4, §8.7).
@Suite struct BodyTests {
  private func bodies(_ records: [String], _ configure: (inout Configuration) -> Void) -> [String] {
    var device = TestDevice { configure(&$0) }
    for record in records { device.insert(record) }
    device.give(.trigger(.insert))
    while device.uploader.isBusy { device.answer(200) }
    return device.sent.map { String(decoding: $0.body, as: UTF8.self) }
  }

  private static let user = JSONValue.object(["user_id": .integer(1_234)])

  @Test func aBatchOfTwoMakesThreeRequestsOfFive() {
    let bodies = bodies(["1", "2", "3", "4", "5"].map { "{\"n\":\($0)}" }) {
      $0.http.batchSync = true
      $0.http.maxBatchSize = 2
      $0.http.rootProperty = "locations"
      $0.http.params = Self.user
    }
    #expect(
      bodies == [
        #"{"locations":[{"n":1},{"n":2}],"user_id":1234}"#, #"{"locations":[{"n":3},{"n":4}],"user_id":1234}"#,
        #"{"locations":[{"n":5}],"user_id":1234}"#,
      ])
  }

  @Test(arguments: [-1, 0])
  func withoutALimitABatchIsEverything(limit: Int) {
    let bodies = bodies((1...300).map { "{\"n\":\($0)}" }) {
      $0.http.batchSync = true
      $0.http.maxBatchSize = limit
    }
    #expect(bodies.count == 1)
    #expect(bodies.first?.hasSuffix(#"{"n":300}]}"#) == true)
  }

  @Test func singleRecordsGoOneByOneUnderTheRoot() {
    let bodies = bodies([#"{"n":1}"#, #"{"n":2}"#]) { $0.http.params = Self.user }
    #expect(bodies == [#"{"location":{"n":1},"user_id":1234}"#, #"{"location":{"n":2},"user_id":1234}"#])
  }

  @Test func aTemplateWithoutRootHasTheParamsAtItsLevel() {
    let bodies = bodies([#"{"lat":45.5,"trip":7}"#]) {
      $0.http.rootProperty = "."
      $0.http.params = Self.user
    }
    #expect(bodies == [#"{"lat":45.5,"trip":7,"user_id":1234}"#])
  }

  /// SDK §8.2: the record wins. A row that is uploaded under another uuid is another row for the server.
  @Test func withoutARootNoParamReplacesAMemberOfTheRecord() {
    let bodies = bodies([#"{"uuid":"a","trip":7}"#]) {
      $0.http.rootProperty = "."
      $0.http.params = .object(["uuid": .string("b"), "trip": .integer(8), "user_id": .integer(1)])
    }
    #expect(bodies == [#"{"uuid":"a","trip":7,"user_id":1}"#])
  }

  @Test func arraysUnderARoot() {
    let bodies = bodies([#"[45.5,{"trip":7}]"#, #"[45.6,{"trip":7}]"#]) {
      $0.http.rootProperty = "data"
      $0.http.batchSync = true
      $0.http.params = Self.user
    }
    #expect(bodies == [#"{"data":[[45.5,{"trip":7}],[45.6,{"trip":7}]],"user_id":1234}"#])
  }

  @Test func paramsThatHaveNoPlaceAreDroppedWithAWarning() {
    var device = TestDevice {
      $0.logger.logLevel = .warning
      $0.http.rootProperty = "."
      $0.http.batchSync = true
      $0.http.params = Self.user
    }
    device.record()
    #expect(device.lastBody == #"[{"n":1}]"#)
    #expect(device.entries.contains(.paramsDropped))
  }

  @Test func theNewestGoFirstWhenConfigured() {
    let bodies = bodies([#"{"n":1}"#, #"{"n":2}"#, #"{"n":3}"#]) {
      $0.persistence.locationsOrderDirection = .descending
    }
    #expect(bodies == [3, 2, 1].map { #"{"location":{"n":\#($0)}}"# })
  }

  @Test func queuedRowsGoWithWhatIsConfiguredWhenTheyAreSent() {
    var device = TestDevice { $0.http.params = Self.user }
    device.fill(2)
    device.give(.trigger(.insert))
    device.configure {
      $0.http.params = .object(["trip": .integer(7)])
      $0.http.rootProperty = "r"
      $0.http.url = "https://elsewhere.example/in"
      $0.http.method = .put
      $0.http.headers = .object(["X-Trip": .string("7")])
      $0.http.timeoutMilliseconds = 3_000
    }
    device.answer(200)
    #expect(device.lastBody == #"{"r":{"n":2},"trip":7}"#)
    #expect(device.sent.last?.url == "https://elsewhere.example/in")
    #expect(device.sent.last?.method == "PUT")
    #expect(device.sent.last?.timeout == .seconds(3))
    #expect(device.header("X-Trip") == "7")
  }

  @Test(arguments: [(0, 60.0), (-5, 60), (0.2, 60), (1, 0.001), (1e300, 86_400)])
  func everyTimeoutCanBeKept(milliseconds: Double, seconds: Double) {
    var device = TestDevice { $0.http.timeoutMilliseconds = milliseconds }
    device.record()
    #expect(device.sent.last?.timeout.seconds == seconds)
  }
}
