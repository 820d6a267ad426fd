/** The two plugins of webhooks. What calls webhooks is loaded when the first one is there to be called. */
import type { PluginFactory } from '../plugin.ts'
import { configurationsPath, hooksAt } from './hook.ts'
import { isExempt } from './match.ts'
import type { MutatingCalls } from './mutating.ts'
import type { ValidatingCalls } from './validating.ts'

/** Webhooks that change objects, one after the other. */
export const mutatingWebhooks: PluginFactory = (world) => {
  const path = configurationsPath(world, 'mutatingwebhookconfigurations')
  let calls: Promise<MutatingCalls> | undefined
  return {
    handles: (place) => !isExempt(place, world.tree),
    mutate(subject, voice, round) {
      const hooks = hooksAt(world, path)
      if (hooks.length === 0) return subject.object
      calls ??= import('./mutating.ts').then((file) => new file.MutatingCalls(world))
      return calls.then((all) => all.mutate(hooks, subject, voice, round))
    },
    close: () => void calls?.then((all) => all.close()),
  }
}

/** Webhooks that look at requests, all at once. */
export const validatingWebhooks: PluginFactory = (world) => {
  const path = configurationsPath(world, 'validatingwebhookconfigurations')
  let calls: Promise<ValidatingCalls> | undefined
  return {
    handles: (place) => !isExempt(place, world.tree),
    validate(subject, voice) {
      const hooks = hooksAt(world, path)
      if (hooks.length === 0) return
      calls ??= import('./validating.ts').then((file) => new file.ValidatingCalls(world))
      return calls.then((all) => all.validate(hooks, subject, voice))
    },
    close: () => void calls?.then((all) => all.close()),
  }
}
