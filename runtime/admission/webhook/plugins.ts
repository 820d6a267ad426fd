/** The two plugins of webhooks. What calls webhooks is loaded when the first one is there to be called. */
import type { PluginFactory } from '../chain/plugin.ts'
import { configurationsPath, listWebhooks } from './configurations.ts'
import { isExemptFromWebhooks } from './match-rules.ts'
import type { MutatingDispatcher } from './mutating-dispatcher.ts'
import type { ValidatingDispatcher } from './validating-dispatcher.ts'

/** Webhooks that change objects, one after the other. */
export const mutatingAdmissionWebhook: PluginFactory = (world) => {
  const path = configurationsPath(world, 'mutatingwebhookconfigurations')
  let calls: Promise<MutatingDispatcher> | undefined
  return {
    handles: (place) => !isExemptFromWebhooks(place, world.scheme),
    mutate(subject, voice, round) {
      const hooks = listWebhooks(world, path)
      if (hooks.length === 0) return subject.object
      calls ??= import('./mutating-dispatcher.ts').then(
        (file) => new file.MutatingDispatcher(world),
      )
      return calls.then((all) => all.mutate(hooks, subject, voice, round))
    },
    close: () => void calls?.then((all) => all.close()),
  }
}

/** Webhooks that look at requests, all at once. */
export const validatingAdmissionWebhook: PluginFactory = (world) => {
  const path = configurationsPath(world, 'validatingwebhookconfigurations')
  let calls: Promise<ValidatingDispatcher> | undefined
  return {
    handles: (place) => !isExemptFromWebhooks(place, world.scheme),
    validate(subject, voice) {
      const hooks = listWebhooks(world, path)
      if (hooks.length === 0) return
      calls ??= import('./validating-dispatcher.ts').then(
        (file) => new file.ValidatingDispatcher(world),
      )
      return calls.then((all) => all.validate(hooks, subject, voice))
    },
    close: () => void calls?.then((all) => all.close()),
  }
}
