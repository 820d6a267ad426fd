/** The rules, by the names that schema files use. */
import { invariant } from '../kernel/invariant.ts'
import type { AnyKind } from '../kernel/kind.ts'
import { configMap } from './config-map.ts'
import { deploymentStrategy } from './deployment-strategy.ts'
import { event } from './event.ts'
import type { Rule } from './kinds.ts'
import { lease } from './lease.ts'
import { namespace } from './namespace.ts'
import { node } from './node.ts'
import { podDefaults } from './pod-defaults.ts'
import { podLifecycle } from './pod-lifecycle.ts'
import { podTemplate } from './pod-template.ts'
import { secret } from './secret.ts'
import { service } from './service.ts'
import { workload } from './workload.ts'

/** Every rule that a schema file may name. */
export const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>(
  Object.entries({
    configMap,
    deploymentStrategy,
    event,
    lease,
    namespace,
    node,
    podDefaults,
    podLifecycle,
    podTemplate,
    secret,
    service,
    workload,
  }),
)

/** The rules of a kind, in the order its schema names them. An unknown name is our own mistake and fails loudly. */
export function rulesOf(kind: AnyKind): readonly Rule[] {
  return kind.rules.map((name) => {
    const rule = rules.get(name)
    invariant(rule !== undefined, `${kind.kind} names the unknown rule ${name}`)
    return rule
  })
}
