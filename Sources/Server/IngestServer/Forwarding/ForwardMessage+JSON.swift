import Base
import JSON
package import Store

extension ForwardMessage {
  /// `{"id","device","run","received","record"}`: `record` is what the device sent, byte for byte.
  package init(_ arrival: ArrivedRecord) {
    var uuid: [UInt8] = []
    arrival.key.uuid.append(lowerCaseTextTo: &uuid)
    let text = String(decoding: uuid, as: UTF8.self)
    // Runs of one scenario send the same uuids again.
    let id = arrival.device.run.isEmpty ? text : "\(arrival.device.run)/\(text)"
    var writer = JSONWriter(capacity: arrival.record.count + 256)
    writer.beginObject()
    writer.member("id", id)
    writer.member("device", arrival.device.name)
    writer.member("run", arrival.device.run)
    writer.member("received", instant: arrival.receivedAt)
    writer.key("record")
    writer.raw(arrival.record)
    writer.endObject()
    self.init(arrival, id: id, body: writer.bytes)
  }
}
