import { randomUUID } from 'node:crypto'
import type { PluginContext } from '../admission/admission.ts'
import {
  type ConversionClient,
  type Definition,
  ExtensibleScheme,
  kindEnvironmentOf,
} from '../apiextensions/apiextensions.ts'
import type { Client } from '../client/client.ts'
import { loadDefinitionControllers } from '../controllers/controllers.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import type { KeyController } from '../reconcile/reconcile.ts'
import { createNameTable, type Registry } from '../registry/registry.ts'
import type { ApiServer } from '../server/server.ts'
import { isSharedStore } from '../store/store.ts'
import type { WatchCache } from '../watch/watch.ts'
import { WebhookClient } from '../webhook/webhook.ts'
import type { ApiServerOptions } from './options.ts'

/** What kinds that definitions make are served by. */
interface CustomResourceHost {
  /** The kind of definitions. */
  readonly kind: AnyKind
  /** The part of the scheme that clients see. */
  readonly shown: Scheme
  readonly client: Client
  readonly store: WatchCache
  readonly registry: Registry
  readonly server: Pick<ApiServer, 'replaceScheme'>
}

/** The kinds that definitions make, served beside those of the scheme. */
export interface CustomResources {
  readonly controllers: readonly KeyController[]
  /** Serves what the stored definitions make. */
  sync(): Promise<void>
  /** Ends the connections to webhooks. */
  close(): void
}

/**
 * The controllers that serve what definitions make, and what they need. Two schemes are extended:
 * the registry knows every kind, clients see only those that are shown.
 */
export async function customResources(
  { scheme, gates, clock, resolve, storage }: ApiServerOptions & Pick<PluginContext, 'resolve'>,
  { kind, shown, client, store, registry, server }: CustomResourceHost,
): Promise<CustomResources> {
  const controllers = await loadDefinitionControllers()
  const { DefinedKinds, NameClaims, syncDefinitions } = controllers
  const { definitionCleanupController, definitionController } = controllers
  const { platform } = scheme
  const webhooks = new WebhookClient(clock, resolve, platform)
  const conversionClient: ConversionClient = {
    call: (...question) => webhooks.call(...question),
    uid: () => randomUUID(),
    group: `apiextensions.${platform.api}`,
  }
  const stored = new ExtensibleScheme(scheme)
  const served = new ExtensibleScheme(shown)
  const claims = isSharedStore(storage)
    ? new NameClaims({
        table: createNameTable(store),
        find: (name) => client.resource<Definition>(kind).find({ name }),
      })
    : undefined
  const kinds = new DefinedKinds({
    platform,
    ...(claims && { claims }),
    environment: kindEnvironmentOf(scheme, { ...(gates && { gates }), conversionClient }),
    // Another server may go on writing by the former schema for a moment.
    revision: () => (isSharedStore(storage) ? Number.MAX_SAFE_INTEGER : registry.revision),
    serve(custom) {
      registry.replaceScheme(stored.with(custom))
      server.replaceScheme(served.with(custom))
    },
  })
  return {
    controllers: [
      definitionController({ kind, kinds }),
      definitionCleanupController({ kind, kinds, platform }),
    ],
    sync: () => syncDefinitions({ kind, kinds }, client, clock),
    close: () => webhooks.close(),
  }
}
