/// What must have happened at least once over many seeds.
package enum CoverageGoal: String, CaseIterable, Sendable {
  case duplicateAfterLostAck = "duplicate-after-lost-ack"
  case crashBetweenSuccessAndDelete = "crash-between-2xx-and-delete"
  case unauthorizedMidFlush = "401-mid-flush"
  case refreshTokenRotatedTwice = "refresh-token-rotated-twice"
  case queueLongerThanMaxBatchSize = "queue-longer-than-maxBatchSize"
  case expiryOfLockedRecord = "expiry-of-locked-record"
  case geofenceExitWhileOffline = "geofence-exit-while-offline"
  case rebootWhileOffline = "reboot-while-offline"
  case urlChangeWithQueue = "url-change-with-queue"
  case tooLargeThenSmallerBatches = "413-then-smaller-batches"
  case redirectAnsweredToPost = "redirect-answered-to-post"
  case diskFullDuringInsert = "disk-full-during-insert"
  case clockSteppedBackwards = "clock-stepped-backwards"
  case watchdogUnlock = "watchdog-unlock"
}
