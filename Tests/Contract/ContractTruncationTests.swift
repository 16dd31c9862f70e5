import JSON
import Support
import Testing

@testable import Contract

/// Every input that stops too early or is damaged gives an error or a record, never a trap, and no byte behind the input
/// is read: it lies flush against an unreadable page.
struct ContractTruncationTests {
  private static let bodies: [String] = {
    let record = RecordSamples.tracking.text(.android)
    return [
      #"{"location":\#(record),"device":{"uuid":"d\u0031"},"user_id":1234}"#,
      #"{"locations":[\#(record),{"location":{"lat":1,"lng":"2"},"x":null}],"device_id":"\u00e4"}"#,
      #"[45.5,-116.3,"",true,{"trip":7}]"#, "[[1,2],[3,4]]", #"[{"location":{"lat":1,"lng":2}}]"#,
    ]
  }()

  @Test func aBodyCutAnywhereIsAnError() {
    for body in Self.bodies {
      let bytes = Array(body.utf8)
      for count in 0..<bytes.count {
        let expected =
          count == 0 ? EnvelopeError.empty : .malformed(JSONError(.unexpectedEnd, at: count))
        GuardedBytes(Array(bytes[..<count])).withSpan { span in
          var envelope = Envelope()
          #expect(throws: expected, "\(count) bytes of \(body)") {
            do { try EnvelopeReader().read(span, into: &envelope) } catch { throw error }
          }
        }
      }
    }
  }

  @Test func aRecordCutAnywhereIsMalformed() {
    let bytes = Array(RecordSamples.tracking.text(.iOS).utf8)
    for count in 0..<bytes.count {
      GuardedBytes(Array(bytes[..<count])).withSpan { span in
        let problem = #expect(throws: RecordProblem.self) {
          do { _ = try RecordDecoder().decode(span) } catch { throw error }
        }
        #expect(problem?.code == .malformed, "\(count) bytes")
      }
    }
  }

  @Test func damagedBodiesNeverTrap() throws {
    let template = #"[<%= latitude %>,<%= longitude %>,"<%= event %>",<%= is_moving %>]"#
    let tokens = [
      #""location":"#, #""coords":{"#, #""lat":"#, #""uuid":"#, #""device_id":"#, "\\u0061", "[", "]", "{}", "1e999",
    ]
    let mutator = Mutator(corpus: Self.bodies.map { Array($0.utf8) }, tokens: tokens.map { Array($0.utf8) })
    let decoder = RecordDecoder(templates: [try TemplateSchema(template, kind: .location)])
    var read = 0
    for seed in 1...3_000 as ClosedRange<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let guarded = GuardedBytes(mutator.next(using: &generator))
      guarded.withSpan { span in
        var envelope = Envelope()
        do {
          try EnvelopeReader().read(span, into: &envelope)
        } catch { return }
        var identity: [UInt8] = []
        _ = IdentitySearch.append(of: envelope, in: span, to: &identity)
        for range in envelope.records {
          let record = span.extracting(range)
          let isJSON = Self.isJSON(record)
          do throws(RecordProblem) {
            _ = try decoder.decode(record)
            read += 1
            #expect(isJSON, "seed \(seed)")
          } catch { #expect((error.code == .malformed) == !isJSON, "seed \(seed)") }
          do { _ = try IdentitySearch.append(ofRecord: record, to: &identity) } catch {
            #expect(!isJSON, "seed \(seed)")
          }
        }
      }
    }
    #expect(read > 300)
  }

  private static func isJSON(_ bytes: Span<UInt8>) -> Bool {
    var reader = JSONReader(bytes)
    do throws(JSONError) {
      _ = try reader.skipValue()
      try reader.finish()
      return true
    } catch { return false }
  }
}
