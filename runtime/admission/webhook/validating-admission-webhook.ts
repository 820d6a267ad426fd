import type { PluginFactory } from '../chain/plugin.ts'
import { isExemptFromWebhooks, WebhookConfigurations } from './configurations.ts'
import type { ValidatingDispatcher } from './validating-dispatcher.ts'

/**
 * ValidatingAdmissionWebhook calls the webhooks that may only reject a request, all of them at once. The client of webhooks is
 * loaded with the first configuration: servers without webhooks start without it.
 */
export const validatingAdmissionWebhook: PluginFactory = (context) => {
  const configurations = new WebhookConfigurations(context, 'validatingwebhookconfigurations')
  let dispatcher: Promise<ValidatingDispatcher> | undefined
  return {
    handles: (request) => !isExemptFromWebhooks(request, context),
    validate(attributes, recorder) {
      const webhooks = configurations.list()
      if (webhooks.length === 0) return
      dispatcher ??= import('./validating-dispatcher.ts').then(
        (module) => new module.ValidatingDispatcher(context),
      )
      return dispatcher.then((loaded) => loaded.validate(webhooks, attributes, recorder))
    },
    close: () => void dispatcher?.then((loaded) => loaded.close()),
  }
}
