import type { Awaitable } from '../../../kernel/async/awaitable.ts'
import type { Attributes } from '../../chain/attributes.ts'
import type { PluginContext } from '../../chain/plugin-context.ts'

/** What is wrong with a request of a node; undefined if it may be made. */
export type NodeCheck = (
  node: string,
  attributes: Attributes,
  context: PluginContext,
) => Awaitable<string | undefined>
