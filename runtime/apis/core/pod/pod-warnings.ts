/** Warnings about what is accepted in a pod spec but hardly ever meant (supplement F-10). */
import type { Container, ContainerPort } from '../../../../generated/apis/core/v1/container.ts'
import type { EnvVar } from '../../../../generated/apis/core/v1/env.ts'
import type { PodSpec, PodTemplateSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { Loose } from '../../../kernel/validation/loose.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'

/** More texts than a client is ever told: headers of warnings hold four thousand letters. */
const most = 100

/** A port is compared with the first ones of its number only, so that a long list costs no more than its length. */
const compared = 16

type Texts = Iterable<string>

/**
 * A text for each variable that hides another, each port that stands twice, and each item of a list that has the key of
 * one before it; the first hundred.
 */
export function podSpecWarnings(path: string, spec: Loose<PodSpec> = {}): readonly string[] {
  const texts: string[] = []
  for (const text of allTexts(path, spec)) {
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

function* allTexts(path: string, spec: Loose<PodSpec>): Texts {
  const containers = atPath(path, spec)
  yield* repeats(`${path}.hostAliases`, 'ip', spec.hostAliases ?? [])
  yield* repeats(`${path}.imagePullSecrets`, 'name', spec.imagePullSecrets ?? [])
  for (const { at, container } of containers) yield* hidden(`${at}.env`, container.env ?? [])
  yield* samePorts(containers)
}

interface AtPath {
  readonly at: string
  readonly container: Loose<Container>
}

/** All containers of a pod, in the order in which they start. */
function atPath(path: string, spec: Loose<PodSpec>): readonly AtPath[] {
  return (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((field) =>
    (spec[field] ?? []).map((container, index) => ({
      at: `${path}.${field}[${index}]`,
      container,
    })),
  )
}

function* repeats<K extends string>(
  path: string,
  key: K,
  items: readonly { readonly [name in K]?: string }[],
): Texts {
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    const value = item[key] ?? ''
    if (seen.has(value)) yield `${path}[${index}].${key}: duplicate ${key} ${JSON.stringify(value)}`
    seen.add(value)
  }
}

/** A variable may be given anew out of its own value; one that is given anew otherwise hides what was there. */
function* hidden(path: string, env: readonly Loose<EnvVar>[]): Texts {
  const seen = new Set<string>()
  for (const [index, { name = '', value = '', valueFrom }] of env.entries()) {
    const grows = valueFrom === undefined && value.includes(`$(${name})`)
    if (seen.has(name) && !grows) {
      const what = `hides previous definition of ${JSON.stringify(name)}`
      yield `${path}[${index}]: ${what}, which may be dropped when using apply`
    }
    seen.add(name)
  }
}

interface PortAtPath {
  readonly at: string
  readonly port: Loose<ContainerPort>
}

function* samePorts(containers: readonly AtPath[]): Texts {
  const known = new Map<string, PortAtPath[]>()
  for (const { at, container } of containers) {
    for (const [index, port] of (container.ports ?? []).entries()) {
      const one = { at: `${at}.ports[${index}]`, port }
      const key = `${port.containerPort}/${port.protocol ?? 'TCP'}`
      const others = known.get(key) ?? []
      for (const other of others) {
        const how = meeting(port, other.port)
        if (how !== undefined) yield `${one.at}: ${how} port definition with ${other.at}`
      }
      if (others.length < compared) others.push(one)
      known.set(key, others)
    }
  }
}

/** How two definitions of the same port of a pod get in each other's way, if they do. */
function meeting(one: Loose<ContainerPort>, other: Loose<ContainerPort>): string | undefined {
  const [ip, otherIp] = [one.hostIP ?? '', other.hostIP ?? '']
  const [host, otherHost] = [one.hostPort ?? 0, other.hostPort ?? 0]
  if (ip === otherIp && host === otherHost) return 'duplicate'
  if (host === 0 || otherHost === 0) return 'overlapping'
  const partly = host === otherHost && (ip === '') !== (otherIp === '')
  return partly ? 'dangerously ambiguous' : undefined
}
