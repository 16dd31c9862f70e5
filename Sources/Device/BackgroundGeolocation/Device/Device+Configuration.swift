import Contract
import Engine
import Host
import JSON
import Vocabulary

extension Device {
  /// The defaults once the device is closed.
  var configuration: Configuration {
    perform { core, _ in core.host.configuration } ?? Configuration(platform: platform.description.platform)
  }

  var state: State { State(perform { core, _ in core.host.state } ?? JSONObject()) }
  var isFirstBoot: Bool { state.isFirstBoot }

  func edit(warnings: [ConfigurationWarning], _ change: (inout Configuration) -> Void) {
    perform { core, now in
      core.host.edit(at: now) { configuration in
        var result = configuration.edit(change)
        result.warnings = warnings + result.warnings
        return result
      }
    }
  }

  /// `configure` runs outside the lock: it may call anything.
  func ready(reset: Bool, token: Contract.TransistorToken?, _ configure: (Config) -> Void) {
    let kept = configuration
    let isFirst = isFirstBoot
    var draft: (configuration: Configuration, warnings: [ConfigurationWarning])?
    if isFirst || reset {
      let base = ConfigurationDraft(kept.defaults)
      configure(Config(base, isFirstBoot: isFirst))
      draft = base.result
    }
    perform { core, now in
      guard !core.host.isReady || core.host.isHeadless else {
        return core.note(.warning("ready was called already"), at: now)
      }
      core.writeBanner(draft?.configuration ?? kept, at: now)
      core.host.ready(platform.takeLaunch(), at: now) { persisted in
        var result = Configuration.ready(
          platform: kept.platform, persisted: persisted, reset: reset, token: token
        ) { configuration in
          if let draft { configuration = draft.configuration }
        }
        result.change.warnings = (draft?.warnings ?? []) + result.change.warnings
        return result
      }
    }
  }
}

extension Configuration {
  fileprivate var defaults: Configuration {
    var defaults = self
    _ = defaults.reset()
    return defaults
  }
}
