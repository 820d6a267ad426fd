import { randomUUID } from 'node:crypto'
import type { World } from '../admission/admission.ts'
import { type Asking, liveTree, surroundingsOf } from '../customs/customs.ts'
import type { AnyKind } from '../kernel/kind.ts'
import type { Tree } from '../kernel/tree.ts'
import type { Registry } from '../registry/registry.ts'
import type { ApiServer } from '../serve/serve.ts'
import { Webhooks } from '../webhook/webhook.ts'
import { Definitions } from './definitions.ts'
import type { ApiServerOptions } from './start.ts'

/** Whom kinds that are made at run time are served by. */
interface Serving {
  /** The kind of definitions. */
  readonly kind: AnyKind
  /** The part of the tree that clients see. */
  readonly shown: Tree
  readonly registry: Registry
  readonly server: Pick<ApiServer, 'replaceTree'>
}

/** The kinds that definitions make, served beside those of the tree. */
export interface CustomKinds {
  readonly definitions: Definitions
  /** Ends the connections to webhooks. */
  close(): void
}

/** Serves what stored definitions make, as soon as `definitions` is brought and run. */
export function customKinds(
  { tree, gates, clock, log, resolve }: ApiServerOptions & Pick<World, 'resolve'>,
  { kind, shown, registry, server }: Serving,
): CustomKinds {
  const webhooks = new Webhooks(clock, resolve)
  const asking: Asking = {
    ask: (...question) => webhooks.ask(...question),
    uid: () => randomUUID(),
    group: `apiextensions.${tree.platform.api}`,
  }
  const definitions = new Definitions({
    registry,
    kind,
    clock,
    log,
    serve(kinds) {
      registry.replaceTree(liveTree(tree, kinds.all))
      server.replaceTree(liveTree(shown, kinds.served))
    },
    around: surroundingsOf(tree, { ...(gates && { gates }), asking }),
  })
  return { definitions, close: () => webhooks.close() }
}
