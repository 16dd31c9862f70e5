import Base
import JSON
package import Store

extension ForwardMessage {
  /// `{"id","device","run","received","record"}`: `record` is what the device sent, byte for byte.
  package init(_ arrival: ArrivedRecord) {
    let id = ForwardMessage.id(of: arrival)
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

  /// Returns the key of a record in the store: a uuid alone can recur in other runs and from other devices, which may also send
  /// the same bytes without a uuid, and with another time.
  private static func id(of arrival: ArrivedRecord) -> String {
    var uuid: [UInt8] = []
    arrival.key.uuid.append(lowerCaseTextTo: &uuid)
    let run = arrival.device.run.isEmpty ? "" : token(arrival.device.run) + "/"
    return "\(run)\(token(arrival.device.name))/\(arrival.key.recordedAt)/\(String(decoding: uuid, as: UTF8.self))"
  }
}
