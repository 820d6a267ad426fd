import type { Container } from '../../../generated/apis/core/v1/container.ts'
import type { EnvVar } from '../../../generated/apis/core/v1/env.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { ConfigError } from './config-error.ts'
import type { ConfigObjects, Entries } from './config-objects.ts'
import { type Allocatable, fieldValue, resourceValue } from './downward-values.ts'
import { expand } from './expand.ts'

/** What variables are made of. */
export interface EnvironmentFacts {
  readonly pod: Stored<Pod>
  readonly container: Container
  readonly objects: ConfigObjects
  readonly hostIP: string
  readonly allocatable: Allocatable
  /** Variables that name services, and the host name. */
  readonly first: ReadonlyMap<string, string>
  /** Addresses of the pod; none where it has those of the node. */
  readonly podIPs: readonly string[]
}

/** The variables of a container, those of sources first. @throws ConfigError for what cannot be had. */
export async function environmentOf(facts: EnvironmentFacts): Promise<ReadonlyMap<string, string>> {
  const { pod, container, objects, first } = facts
  const { namespace } = pod.metadata
  const values = new Map(first)
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const ref = configMapRef ?? secretRef
    const name = ref?.name ?? ''
    const kind = configMapRef ? 'configmap' : 'secret'
    const found = await objects[configMapRef ? 'configMap' : 'secret'](namespace, name)
    if (found === undefined && !ref?.optional) throw new ConfigError(`${kind} "${name}" not found`)
    for (const [key, value] of found ?? []) values.set(prefix + key, String(value))
  }
  for (const variable of container.env ?? []) {
    const value = await valueFor(variable, values, facts)
    if (value !== undefined) values.set(variable.name, value)
  }
  return values
}

/** Undefined for what is optional and not there. */
async function valueFor(
  { value = '', valueFrom }: EnvVar,
  known: ReadonlyMap<string, string>,
  { pod, container, objects, hostIP, allocatable, podIPs }: EnvironmentFacts,
): Promise<string | undefined> {
  if (valueFrom === undefined) return expand(value, known)
  const { namespace } = pod.metadata
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom
  if (fieldRef) {
    const found = fieldValue(pod, fieldRef.fieldPath, hostIP, podIPs)
    if (found !== undefined) return found
    throw new ConfigError(`field ${fieldRef.fieldPath} cannot be given to a container`)
  }
  if (resourceFieldRef) {
    const { containerName } = resourceFieldRef
    const other = pod.spec?.containers.find(({ name }) => name === containerName)
    return resourceValue(other ?? container, resourceFieldRef, allocatable)
  }
  const ref = configMapKeyRef ?? secretKeyRef
  if (ref === undefined) return undefined
  const { name = '', key, optional } = ref
  const kind = configMapKeyRef ? 'configMap' : 'secret'
  const found: Entries | undefined = await objects[kind](namespace, name)
  const text = found?.get(key)
  if (text !== undefined) return String(text)
  if (optional) return undefined
  if (found === undefined) throw new ConfigError(`${kind.toLowerCase()} "${name}" not found`)
  const word = kind === 'secret' ? 'Secret' : 'ConfigMap'
  throw new ConfigError(`couldn't find key ${key} in ${word} ${namespace}/${name}`)
}
