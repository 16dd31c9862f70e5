import Base
import JSON
import Oracle

/// The form in a shard's summary.
extension ServerCounts {
  var json: JSONValue {
    var object: JSONObject = ["tokenURL": tokenURL.map { .string($0) } ?? .null, "isCut": .bool(isCut)]
    for number in ServerCounts.numbers { object[number.name] = .integer(Int64(self[keyPath: number.path])) }
    for words in ServerCounts.words {
      var counts = JSONObject()
      for (word, count) in self[keyPath: words.path].sorted(by: { $0.key < $1.key }) {
        counts[word] = .integer(Int64(count))
      }
      object[words.name] = .object(counts)
    }
    object["lastAnswerAt"] = lastAnswerAt.map { .integer($0.nanoseconds) } ?? .null
    object["latestSilences"] = .array(latestSilences.map { .integer($0.nanoseconds) })
    object["worstStorm"] = .string(worstStorm)
    object["worstStormUploads"] = .integer(Int64(worstStormUploads))
    object["fullSamples"] = .array(fullSamples.map { .string($0) })
    return .object(object)
  }

  init(_ node: SummaryNode) throws(SummaryError) {
    self.init()
    tokenURL = try node.optional("tokenURL")?.text()
    isCut = try node.member("isCut").flag()
    for number in ServerCounts.numbers { self[keyPath: number.path] = try node.member(number.name).count() }
    for words in ServerCounts.words {
      for (word, count) in try node.member(words.name).members() {
        self[keyPath: words.path][word] = try count.count()
      }
    }
    lastAnswerAt = (try node.optional("lastAnswerAt")?.nanoseconds()).map { MonotonicInstant(nanoseconds: $0) }
    latestSilences = []
    for silence in try node.member("latestSilences").elements() {
      latestSilences.append(MonotonicInstant(nanoseconds: try silence.nanoseconds()))
    }
    worstStorm = try node.member("worstStorm").text()
    worstStormUploads = try node.member("worstStormUploads").count()
    for sample in try node.member("fullSamples").elements() { fullSamples.append(try sample.text()) }
  }
}
