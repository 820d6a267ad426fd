import {
  createAdmission,
  type PluginContext,
  type PluginSelection,
  type PluginSettings,
} from '../admission/admission.ts'
import { fromStorageVersion, toStorageVersion } from '../apis/apis.ts'
import { noMetrics, silentLog } from '../observe/observe.ts'
import type { RegistryContext } from './contract/context.ts'
import { pluginLister, pluginWriter } from './plugin-storage.ts'
import type { RegistryOptions } from './registry-options.ts'
import { ChargeTable } from './storage/charge-table.ts'
import { webhookConverter } from './storage/webhook-converter.ts'

/** What a registry without configuration needs all the same: objects live in namespaces that are there. */
const namespaceLifecycleOnly: PluginSelection = { only: ['NamespaceLifecycle'] }

/** The admission of a registry's writes: its plugins work with the registry's own store, scheme and clock. */
export function admissionFor(
  context: RegistryContext,
  {
    admission: options = namespaceLifecycleOnly,
    shared,
  }: Pick<RegistryOptions, 'admission' | 'shared'>,
) {
  const convertByWebhook = webhookConverter()
  const plugins: PluginContext = {
    ...context,
    get scheme() {
      return context.scheme
    },
    log: options.log ?? silentLog,
    metrics: options.metrics ?? noMetrics(),
    lister: pluginLister(context),
    writer: pluginWriter(context),
    /** Versions of built-in kinds are converted by their schema, at once; those of custom resources may need a webhook. */
    convert: (object, from, to) =>
      to.customResource?.convert === undefined
        ? fromStorageVersion(to, toStorageVersion(from, object))
        : convertByWebhook(object, to),
    resolve: options.resolve ?? noResolver,
    settings: { ...namedPlugins(options), ...options.settings },
    ...(shared && { charges: new ChargeTable(context.store, context.clock) }),
  }
  return createAdmission(plugins, options)
}

/** Settings that follow from a plugin being named. */
function namedPlugins({ enable = [], only = [] }: PluginSelection): PluginSettings {
  const always = [...enable, ...only].includes('StorageObjectInUseProtection')
  return always ? { StorageObjectInUseProtection: { always } } : {}
}

/** Webhooks that name a service fail where the registry was not given a resolver of services. */
async function noResolver(namespace: string, name: string): Promise<never> {
  throw new Error(`service ${namespace}/${name} cannot be reached: nothing resolves services here`)
}
