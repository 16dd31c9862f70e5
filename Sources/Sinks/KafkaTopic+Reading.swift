/// Reads a topic, one partition after the other. The place of a reader is not kept anywhere.
extension KafkaTopic {
  private static let patience: Int32 = 10_000

  func read(_ take: (_ message: [UInt8]) -> Void) throws(StreamFailure) {
    guard KafkaConnection.isLibraryThere else { throw StreamFailure(message: KafkaTopic.missingLibrary) }
    let reader = try KafkaReader(of: self, patience: KafkaTopic.patience)
    for partition in 0..<reader.partitions { try reader.read(partition, take) }
  }
}
