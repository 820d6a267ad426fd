import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Json } from '../../kernel/values/json.ts'
import { readObject } from '../../serializer/serializer.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Target } from '../contract/contract.ts'
import { kindStrategy } from '../strategy/kind-strategy.ts'
import { bodyKindOf } from './lookup.ts'

/** The object that a body says, with all defaults and without unknown fields: what a create or an update begins with. */
export async function objectOfBody(
  context: Pick<RegistryContext, 'scheme' | 'clock' | 'gates'>,
  target: Target,
  value: Json,
): Promise<ApiObject> {
  const kind = bodyKindOf(target)
  const { object } = readObject(kind, value)
  return kind === target.kind ? (await kindStrategy(context, target)).defaults(object) : object
}
