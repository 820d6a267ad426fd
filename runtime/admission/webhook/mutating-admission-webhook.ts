import type { PluginFactory } from '../chain/plugin.ts'
import { isExemptFromWebhooks, WebhookConfigurations } from './configurations.ts'
import type { MutatingDispatcher } from './mutating-dispatcher.ts'

/**
 * MutatingAdmissionWebhook calls the webhooks that may change an object, one after the other (supplement Q-08). The client of
 * webhooks is loaded with the first configuration: servers without webhooks start without it.
 */
export const mutatingAdmissionWebhook: PluginFactory = (context) => {
  const configurations = new WebhookConfigurations(context, 'mutatingwebhookconfigurations')
  let dispatcher: Promise<MutatingDispatcher> | undefined
  return {
    handles: (request) => !isExemptFromWebhooks(request, context),
    mutate(attributes, recorder, reinvocation) {
      const webhooks = configurations.list()
      if (webhooks.length === 0) return attributes.object
      dispatcher ??= import('./mutating-dispatcher.ts').then(
        (module) => new module.MutatingDispatcher(context),
      )
      return dispatcher.then((loaded) =>
        loaded.mutate(webhooks, attributes, recorder, reinvocation),
      )
    },
    close: () => void dispatcher?.then((loaded) => loaded.close()),
  }
}
