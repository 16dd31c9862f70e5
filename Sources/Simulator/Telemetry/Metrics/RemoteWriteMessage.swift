import Base
import FleetSimulator

/// The figures of a run as a `WriteRequest` of Prometheus Remote-Write 1.0, compressed with Snappy
/// (https://prometheus.io/docs/specs/remote_write_spec/).
struct RemoteWriteMessage {
  /// The labels of every series, besides its own.
  let labels: [(name: String, value: String)]

  /// The staleness marker, a special NaN that ends a series.
  private static let stale = Double(bitPattern: 0x7FF0_0000_0000_0002)

  /// Returns the message and its number of samples. With `isLast` each series ends a millisecond later.
  func request(
    _ readings: [MetricReading], atMilliseconds now: Int64, isLast: Bool
  ) -> (body: [UInt8], samples: Int) {
    var writer = ProtobufWriter()
    let samples = readings.flatMap(\.samples)
    writer.messages(MessageField(1, "timeseries"), samples) { sample, writer in
      writer.messages(MessageField(1, "labels"), allLabels(of: sample)) { label, writer in
        writer.text(MessageField(1, "name"), label.name)
        writer.text(MessageField(2, "value"), label.value)
      }
      var values = [(sample.value.number, now)]
      if isLast { values.append((RemoteWriteMessage.stale, now + 1)) }
      writer.messages(MessageField(2, "samples"), values) { value, writer in
        writer.double(MessageField(1, "value"), value.0)
        writer.integer(MessageField(2, "timestamp"), value.1, isOptional: false)
      }
    }
    return (SnappyBlock.pack(writer.finish()), samples.count)
  }

  /// Returns the labels sorted by name, without duplicates; those of a sample take precedence, and empty values are omitted.
  private func allLabels(of sample: MetricSample) -> [(name: String, value: String)] {
    let own = [(name: "__name__", value: sample.name)] + sample.labels
    let others = labels.filter { label in !own.contains { $0.name == label.name } }
    return (own + others).filter { !$0.value.isEmpty }.sorted { $0.name < $1.name }
  }
}
