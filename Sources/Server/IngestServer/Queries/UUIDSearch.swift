import Base
import JSON
import Store

/// Looks for records of which only the uuid is known. No index leads to them: the records of the run are walked once for the
/// whole list, page by page, so that other questions come in between, and no further than to the last that is found.
struct UUIDSearch: Sendable {
  private let asked: Int
  /// Those with a time that are not stored.
  private let missing: [RecordIdentity]
  private let wanted: [VerificationRequest.Bare]
  private var selection: KeySelection
  private var open: Set<VerificationRequest.Bare>
  private var cursor: ArrivalCursor?

  /// `missing` is what was looked up already; `selection` says where to look for the rest.
  init(_ request: VerificationRequest, missing: [RecordIdentity], in selection: KeySelection) {
    asked = request.count
    self.missing = missing
    wanted = request.bare
    self.selection = selection
    open = Set(request.bare)
    self.selection.uuids = Set(request.bare.map(\.uuid))
    if let first = request.bare.first?.device, request.bare.allSatisfy({ $0.device == first }) {
      self.selection.device = DeviceIdentity(run: selection.run, name: first)
    }
  }

  /// The answer begins at once and ends with the walk.
  var response: Response {
    var response = Response(200, "application/json", Array("{\"asked\":\(asked),".utf8))
    response.rest = .store { (reader: StoreReader) throws(StoreError) -> ContentPage in try page(reader) }
    return response
  }

  private func page(_ reader: StoreReader) throws(StoreError) -> ContentPage {
    let found = try reader.keys(selection, after: cursor)
    var search = self
    for record in found.elements {
      search.open.remove(VerificationRequest.Bare(device: nil, uuid: record.key.uuid))
      search.open.remove(VerificationRequest.Bare(device: record.device.name, uuid: record.key.uuid))
    }
    guard let next = found.next, !search.open.isEmpty else {
      return ContentPage(bytes: search.ending, next: nil)
    }
    search.cursor = next
    let following = search
    return ContentPage(
      bytes: [], next: .store { (reader: StoreReader) throws(StoreError) -> ContentPage in try following.page(reader) })
  }

  /// What stands behind `asked`.
  private var ending: [UInt8] {
    let lost = wanted.filter { open.contains($0) }
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    writer.verification(asked: asked, missing: missing, bare: lost)
    writer.endObject()
    return Array(writer.bytes.dropFirst())
  }
}
