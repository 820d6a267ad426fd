/** Warnings about what is accepted in a pod spec but hardly ever meant (supplement F-10). */
import type { Container, ContainerPort } from '../../../../generated/apis/core/v1/container.ts'
import type { PodSpec, PodTemplateSpec } from '../../../../generated/apis/core/v1/pod.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { Field } from '../../../kernel/walker/field.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'

/** More texts than a response has room for: headers of warnings hold 4,096 characters. */
const most = 100

/** A port is compared with the first ones of its number only, so that a long list costs no more than its length. */
const compared = 16

type Texts = Iterable<string>

/**
 * A text for each variable that hides another, each port that stands twice, and each item of a list that has the key of
 * one before it; the first hundred.
 */
export function podSpecWarnings(path: string, spec: Loose<PodSpec> = {}): readonly string[] {
  const position = { parent: undefined, step: path }
  const field = new Field<PodSpec>(spec, undefined, { errors: [], checks: new Map() }, {}, position)
  const texts: string[] = []
  for (const text of allTexts(field)) {
    texts.push(text)
    if (texts.length === most) break
  }
  return texts
}

/** The warnings of a template, or none if a change leaves alone the spec that it is part of. */
export function templateWarnings(
  path: string,
  template: Loose<PodTemplateSpec> | undefined,
  spec: unknown,
  old: unknown,
): readonly string[] {
  const warnings = podSpecWarnings(`${path}.spec`, template?.spec)
  return warnings.length === 0 || deepEqual(spec, old) ? [] : warnings
}

function* allTexts(spec: Field<PodSpec>): Texts {
  yield* repeats(spec.items('hostAliases'), 'ip')
  yield* repeats(spec.items('imagePullSecrets'), 'name')
  const containers = [
    ...spec.items('initContainers'),
    ...spec.items('containers'),
    ...spec.items('ephemeralContainers'),
  ] as readonly Field<Container>[]
  for (const container of containers) yield* hidden(container)
  yield* samePorts(containers)
}

function* repeats<K extends string>(
  items: Iterable<Field<{ readonly [name in K]?: string }>>,
  key: K,
): Texts {
  const seen = new Set<string>()
  for (const item of items) {
    const value = (item.value as Readonly<Record<string, string>>)[key] ?? ''
    if (seen.has(value)) yield `${item.path(key)}: duplicate ${key} ${JSON.stringify(value)}`
    seen.add(value)
  }
}

/** A variable may be given anew out of its own value; one that is given anew otherwise hides what was there. */
function* hidden(container: Field<Container>): Texts {
  const seen = new Set<string>()
  for (const variable of container.items('env')) {
    const { name = '', value = '', valueFrom } = variable.value
    const grows = valueFrom === undefined && value.includes(`$(${name})`)
    if (seen.has(name) && !grows) {
      const what = `hides previous definition of ${JSON.stringify(name)}`
      yield `${variable.path()}: ${what}, which may be dropped when using apply`
    }
    seen.add(name)
  }
}

function* samePorts(containers: readonly Field<Container>[]): Texts {
  const known = new Map<string, Field<ContainerPort>[]>()
  for (const port of containers.flatMap((container) => [...container.items('ports')])) {
    const key = `${port.value.containerPort}/${port.value.protocol ?? 'TCP'}`
    const others = known.get(key) ?? []
    for (const other of others) {
      const how = conflictOf(port.value, other.value)
      if (how !== undefined) yield `${port.path()}: ${how} port definition with ${other.path()}`
    }
    if (others.length < compared) others.push(port)
    known.set(key, others)
  }
}

/** How two definitions of the same port of a pod conflict, if they do. */
function conflictOf(one: Loose<ContainerPort>, other: Loose<ContainerPort>): string | undefined {
  const [ip, otherIp] = [one.hostIP ?? '', other.hostIP ?? '']
  const [host, otherHost] = [one.hostPort ?? 0, other.hostPort ?? 0]
  if (ip === otherIp && host === otherHost) return 'duplicate'
  if (host === 0 || otherHost === 0) return 'overlapping'
  const partly = host === otherHost && (ip === '') !== (otherIp === '')
  return partly ? 'dangerously ambiguous' : undefined
}
