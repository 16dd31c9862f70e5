import Base
import JSON
package import Scenario

/// Makes a scenario of a seed, small enough to run in a moment and strange enough to find something: any number of parts
/// of the language, each with values at and beyond the usual. The same seed gives the same scenario.
package struct ScenarioGenerator {
  package private(set) var document: ScenarioDocument
  /// Parts that this version refuses, as the sentences that refuse them; they are not in the document.
  package private(set) var refused: [String] = []
  private var stream: RandomStream
  private let seed: UInt64
  private let minutes: Int

  package init(seed: UInt64) throws {
    self.seed = seed
    stream = RandomStream(seed: seed, device: 0, concern: 0x7047)
    minutes = 5 + stream.index(below: 40)
    document = ScenarioDocument(json: .null)
    document = ScenarioDocument(json: try value(frame()))
    for index in 0..<stream.index(below: 3) { try add(fleet(), at: ["fleets", "more\(index)"]) }
    for fleet in document.fleetNames {
      for (key, part) in traits() where stream.chance(0.35) { try add(part, at: ["fleets", fleet, key]) }
    }
    for (path, part) in configuration() where stream.chance(0.3) {
      try add(part, at: ["sdk", "config"] + path.split(separator: ".").map(String.init))
    }
    for index in 0..<stream.index(below: 6) { try addFault(index) }
  }

  private func value(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8).span) }

  private mutating func frame() -> String {
    let sections = ["app", "http", "geolocation", "persistence", "activity"].map { #""\#($0)": {}"# }
    return #"""
      {
        "version": 1, "name": "torture", "seed": "0x\#(String(seed, radix: 16))",
        "clock": { "duration": "\#(minutes)m", "settle": "30m" },
        "sdk": { "profile": "\#(one(of: ["android-5.1", "ios-5.1"]))", "config": { \#(sections.joined(separator: ", ")) } },
        "fleets": { "first": \#(fleet()) }, "faults": []
      }
      """#
  }

  private mutating func fleet() -> String { #"{ "devices": \#(1 + stream.index(below: 5)) }"# }

  private mutating func traits() -> [(String, String)] {
    [
      ("motion", #""\#(one(of: ["driving", "walking", "cycling"]))""#),
      ("network", #""\#(one(of: ["wifi", "lte", "hsdpa", "edge", "none"]))""#),
      (
        "lifecycle",
        #"{ "terminate": { "perHour": \#(stream.index(below: 20)) }, "reboot": { "perHour": \#(stream.index(below: 5)) } }"#
      ),
      ("startTime", #""\#(stream.index(below: 200))s""#),
    ]
  }

  private mutating func configuration() -> [(String, String)] {
    let flag = { (stream: inout RandomStream) in stream.chance(0.5) ? "true" : "false" }
    return [
      ("http.batchSync", flag(&stream)), ("http.autoSync", flag(&stream)),
      ("http.autoSyncThreshold", "\(stream.index(below: 12))"),
      ("http.maxBatchSize", one(of: ["1", "2", "7", "50", "250"])),
      ("http.disableAutoSyncOnCellular", flag(&stream)), ("http.timeout", one(of: ["10000", "60000"])),
      ("http.rootProperty", one(of: [#""location""#, #""data""#, #"".""#])),
      ("http.method", one(of: [#""POST""#, #""PUT""#])),
      ("persistence.maxRecordsToPersist", one(of: ["-1", "1", "5", "100"])),
      ("persistence.locationsOrderDirection", one(of: [#""ASC""#, #""DESC""#])),
      ("geolocation.distanceFilter", one(of: ["0", "1", "10", "50", "500"])),
      ("geolocation.stopTimeout", one(of: ["1", "5"])), ("geolocation.disableElasticity", flag(&stream)),
      ("app.stopOnTerminate", flag(&stream)), ("app.startOnBoot", flag(&stream)),
      ("app.heartbeatInterval", one(of: ["60", "300"])), ("activity.disableStopDetection", flag(&stream)),
    ]
  }

  private mutating func addFault(_ index: Int) throws {
    let seconds = minutes * 60
    let (start, length) = (1 + stream.index(below: seconds - 1), 1 + stream.index(below: seconds / 2))
    let time =
      stream.chance(0.7)
      ? #""at": "\#(start)s", "for": "\#(length)s""#
      : #""rate": { "perDeviceHour": \#(1 + stream.index(below: 20)) }, "for": "\#(1 + length / 4)s""#
    let selection = one(of: [
      "{}", #"{ "fleet": "first" }"#, #"{ "fraction": 0.5 }"#, #"{ "count": \#(1 + stream.index(below: 3)) }"#,
    ])
    let action = action()
    let fault = #"{ "name": "fault\#(index)", \#(time), "select": \#(selection), \#(action) }"#
    guard case .array(let faults)? = document.json["faults"] else { return }
    var wider = document
    wider.set(DocumentPath([.key("faults")]), to: .array(faults + [try value(fault)]))
    keep(wider)
  }

  private mutating func action() -> String {
    let milliseconds = stream.index(below: 20_000)
    let share = 1 + stream.index(below: 100)
    return one(of: [
      #""network": "none""#, #""network": "edge""#,
      #""storage": { "error": "\#(one(of: ["SQLITE_FULL", "SQLITE_IOERR", "SQLITE_BUSY", "SQLITE_READONLY"]))" }"#,
      #""storage": { "crash": "\#(one(of: ["before-insert-commits", "between-send-and-answer", "between-2xx-and-delete"]))" }"#,
      #""device": { "clockOffset": "\#(stream.index(below: 7_200) - 3_600)s" }"#, #""device": { "noFix": true }"#,
      #""device": { "clockDrift": \#(stream.index(below: 200) - 100) }"#,
      #""device": { "poisonRecord": "\#(one(of: ["missing-coords", "text-latitude", "oversized-extras"]))" }"#,
      #""lifecycle": { "terminate": true, "relaunchAfter": "\#(1 + milliseconds / 20)s" }"#,
      #""lifecycle": { "reboot": true }"#,
      #""http": { "abort": { "status": \#(one(of: ["400", "401", "403", "404", "413", "429", "500", "503"])), "percentage": \#(share) } }"#,
      #""http": { "delay": { "fixedDelay": "\#(milliseconds * 4)ms", "percentage": \#(share) } }"#,
      // Servers that lose data on purpose are another test's.
      #""http": { "answer": { "kind": "\#(one(of: ["redirect", "empty", "malformed", "drop"]))", "percentage": \#(share) } }"#,
      #""toxic": { "type": "latency", "attributes": { "latency": \#(milliseconds), "jitter": \#(milliseconds / 4) } }"#,
      #""toxic": { "type": "timeout", "attributes": { "timeout": \#(milliseconds) } }"#,
      #""toxic": { "type": "reset_peer", "attributes": { "timeout": \#(milliseconds) } }"#,
      #""toxic": { "type": "limit_data", "attributes": { "bytes": \#(milliseconds / 10) } }"#,
      #""toxic": { "type": "bandwidth", "attributes": { "rate": \#(1 + milliseconds / 1_000) } }"#,
      #""toxic": { "type": "slicer", "attributes": { "average_size": 64, "size_variation": 32, "delay": 10 } }"#,
      #""remote": { "background_geolocation": [["\#(one(of: ["stop", "start", "sync"]))"]] }"#,
    ])
  }

  private mutating func one(of choices: [String]) -> String { choices[stream.index(below: choices.count)] }

  private mutating func add(_ text: String, at path: [String]) throws {
    var wider = document
    wider.set(DocumentPath(path.map { .key($0) }), to: try value(text))
    keep(wider)
  }

  /// Keeps a document that this version can run.
  private mutating func keep(_ wider: ScenarioDocument) {
    do {
      let result = try ScenarioReader.read(wider)
      if result.notYet.isEmpty {
        _ = try RunSetup(result.scenario)
        document = wider
      }
      refused += result.notYet.map { $0.text(sources: ["torture"]) }
    } catch let error as UnsupportedScenario {
      refused += error.problems
    } catch {
      refused.append("\(error)")
    }
  }
}
