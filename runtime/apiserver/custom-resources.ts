import { randomUUID } from 'node:crypto'
import type { PluginContext } from '../admission/admission.ts'
import {
  type ConversionClient,
  kindEnvironmentOf,
  schemeWithKinds,
} from '../apiextensions/apiextensions.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import type { Registry } from '../registry/registry.ts'
import type { ApiServer } from '../server/server.ts'
import { WebhookClient } from '../webhook/webhook.ts'
import { DefinitionController } from './definition-controller.ts'
import type { ApiServerOptions } from './start.ts'

/** Whom kinds that are made at run time are served by. */
interface CustomResourceHost {
  /** The kind of definitions. */
  readonly kind: AnyKind
  /** The part of the tree that clients see. */
  readonly shown: Scheme
  readonly registry: Registry
  readonly server: Pick<ApiServer, 'replaceTree'>
}

/** The kinds that definitions make, served beside those of the tree. */
export interface CustomResources {
  readonly definitions: DefinitionController
  /** Ends the connections to webhooks. */
  close(): void
}

/** Serves what stored definitions make, as soon as `definitions` is brought and run. */
export function customResources(
  { scheme, gates, clock, log, resolve }: ApiServerOptions & Pick<PluginContext, 'resolve'>,
  { kind, shown, registry, server }: CustomResourceHost,
): CustomResources {
  const webhooks = new WebhookClient(clock, resolve)
  const asking: ConversionClient = {
    call: (...question) => webhooks.call(...question),
    uid: () => randomUUID(),
    group: `apiextensions.${scheme.platform.api}`,
  }
  const definitions = new DefinitionController({
    registry,
    kind,
    clock,
    log,
    serve(kinds) {
      registry.replaceTree(schemeWithKinds(scheme, kinds.all))
      server.replaceTree(schemeWithKinds(shown, kinds.served))
    },
    surroundings: kindEnvironmentOf(scheme, { ...(gates && { gates }), asking }),
  })
  return { definitions, close: () => webhooks.close() }
}
