/** Warnings about the containers of a pod. */
import type { Container, ContainerPort } from '../../../../generated/apis/core/v1/container.ts'
import { quoted } from '../../../kernel/values/quoted.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'
import type { Texts } from '../../strategy/warned-field.ts'
import { fractionalAmounts } from '../../types/fractions.ts'

/** A port is compared with the first ones of its number only, so that a long list costs no more than its length. */
const compared = 16

/** An annotation that has no effect, amounts of parts of a byte, and variables that hide others. */
export function* containerWarnings(
  container: Field<Container>,
  annotated: (name: string) => Texts,
): Texts {
  const { name = '', securityContext } = container.value
  if (securityContext?.seccompProfile === undefined) yield* annotated(name)
  const resources = container.child('resources')
  for (const resource of ['memory', 'ephemeral-storage']) {
    yield* fractionalAmounts(resources, 'limits', resource)
    yield* fractionalAmounts(resources, 'requests', resource)
  }
  yield* hidden(container)
}

/** A variable may be given anew out of its own value; one that is given anew otherwise hides what was there. */
function* hidden(container: Field<Container>): Texts {
  const seen = new Set<string>()
  for (const variable of container.items('env')) {
    const { name = '', value = '', valueFrom } = variable.value
    const reference = `$(${name})`
    const grows = valueFrom === undefined && value !== reference && value.includes(reference)
    if (seen.has(name) && !grows) {
      yield `${variable.path()}: hides previous definition of ${quoted(name)}`
    }
    seen.add(name)
  }
}

/** Addresses without a port, and ports that several definitions are about. */
export function* portWarnings(containers: readonly Field<Container>[]): Texts {
  const known = new Map<string, Field<ContainerPort>[]>()
  for (const port of containers.flatMap((container) => [...container.items('ports')])) {
    const { name = '', containerPort = 0, protocol = 'TCP', hostIP } = port.value
    if (hostIP && !port.value.hostPort) {
      const told = `Name:${name} HostPort:0 ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}`
      yield `${port.path()}: hostIP set without hostPort: {${told}}`
    }
    const key = `${containerPort}/${protocol}`
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
