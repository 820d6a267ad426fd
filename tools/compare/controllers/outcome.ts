/** What a scenario came to: objects, events and writes, in words that are equal where they stand for the same. */
import type { Any } from './cluster.ts'
import type { Write } from './running.ts'

/** Lines that tell an outcome, each as often as it is true. */
export interface Outcome {
  readonly objects: readonly string[]
  readonly events: readonly string[]
  /** How often each kind of write was sent, as `verb resource`; of those that were refused `verb resource status by controller`. */
  readonly writes: ReadonlyMap<string, number>
}

/** Everything of one scenario: its namespaces and the objects whose names begin with one. */
export function outcomeOf(
  objects: readonly Any[],
  writes: readonly Write[],
  scenario: string,
): Outcome {
  const isOf = (name: string): boolean => name === scenario || name.startsWith(`${scenario}-`)
  const mine = objects.filter(({ metadata: { namespace, name } }) => isOf(namespace ?? name))
  const named = renaming(mine)
  const events = mine.filter(({ kind }) => kind === 'Event')
  return {
    objects: mine
      .filter(({ kind }) => kind !== 'Event' && kind !== 'Lease')
      .flatMap((object) => linesOf(object, named))
      .sort(),
    events: [...new Set(events.map((event) => named(eventLine(event))))].sort(),
    writes: countOf(
      writes.filter(({ namespace, name }) => isOf(namespace === '' ? name : namespace)),
    ),
  }
}

function eventLine(event: Any): string {
  const { involvedObject = {}, type, reason, message, source, reportingComponent } = event
  const { kind, name, fieldPath = '' } = involvedObject
  const from = reportingComponent || source?.component
  return `${kind} ${name} ${fieldPath}: ${type} ${reason} (${from}): ${message}`
}

/** Labels with a hash that each program makes in its own way. */
const hashLabels = ['pod-template-hash', 'controller-revision-hash']

/** Puts what servers and clocks choose into words that do not depend on them. */
function renaming(objects: readonly Any[]): (text: string) => string {
  const names = objects
    .flatMap(({ metadata: { name, generateName } }) =>
      generateName === undefined || !name.startsWith(generateName)
        ? []
        : [[name, `${generateName}*`] as const],
    )
    .sort(([one], [other]) => other.length - one.length)
  const hashes = [
    ...new Set(
      objects.flatMap(({ metadata: { labels = {} } }) =>
        hashLabels.flatMap((label) => labels[label] ?? []),
      ),
    ),
  ]
  return (text) => {
    let said = text
    for (const [name, general] of names)
      if (said.includes(name)) said = said.replaceAll(name, general)
    for (const hash of hashes) said = said.replaceAll(hash, '#')
    return said
      .replaceAll(/-[bcdfghjklmnpqrstvwxz2456789]{7,10}(?![\w.])/g, '-#')
      .replaceAll(/-[bcdfghjklmnpqrstvwxz2456789]{5}(?![\w.])/g, '-*')
      .replaceAll(/tick-\d+/g, 'tick-*')
      .replaceAll(/10\.244\.\d+\.0\/24/g, '<range>')
      .replaceAll(/(claimRef\.resourceVersion=)"\d+"/g, '$1')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, '<time>')
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? \+0000 UTC( m=[+\d.]+)?/g, '<time>')
      .replaceAll(/(nodePort"?[:=]|healthCheckNodePort=)3\d{4}\b/gi, '$1<port>')
      .replaceAll(/\b10\.\d+\.\d+\.\d+\b(?!\/)/g, '<address>')
      .replaceAll(/(?<=controlled by multiple HPAs: \[)[^\]]*/g, inOrder)
  }
}

/** Names that the reference has from a map, in whatever order. */
function inOrder(names: string): string {
  return names.split(' ').sort().join(' ')
}

/** What says nothing about controllers. */
const unsaid = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'selfLink'])
const secret = new Set(['certificate', 'ca.crt', 'token', 'request', 'caBundle'])

/** A line for each value of an object. */
function linesOf(object: Any, named: (text: string) => string): readonly string[] {
  const lines: string[] = []
  const walk = (value: unknown, path: string): void => {
    if (Array.isArray(value)) {
      const parts = value.map((one) => named(JSON.stringify(ordered(one, named))))
      for (const part of parts) lines.push(`${path}[]=${part}`)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, part] of Object.entries(value)) {
        if (path.endsWith(':metadata') && unsaid.has(key)) continue
        walk(secret.has(key) ? '<secret>' : part, `${path}.${key}`)
      }
      if (Object.keys(value).length === 0) lines.push(`${path}={}`)
    } else lines.push(named(`${path}=${JSON.stringify(value)}`))
  }
  const { metadata, ...others } = object
  const head = named(`${object.kind} ${metadata.name}`)
  walk(metadata, `${head}:metadata`)
  walk(others, `${head}:`)
  return lines
}

/** The same value with its keys and parts sorted by what they are named, without what says nothing. */
function ordered(value: unknown, named: (text: string) => string): unknown {
  if (typeof value === 'string') return named(value)
  if (Array.isArray(value))
    return value
      .map((one) => ordered(one, named))
      .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(
    ([key]) => key !== 'uid' && key !== 'resourceVersion',
  )
  return Object.fromEntries(
    entries
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, part]) => [key, ordered(part, named)]),
  )
}

function countOf(writes: readonly Write[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { verb, resource, userAgent, status } of writes) {
    if (!userAgent.includes('controller-manager')) continue
    const controller = userAgent.slice(userAgent.lastIndexOf('/') + 1)
    const refused = status >= 400 ? ` ${status} by ${controller}` : ''
    const line = `${verb} ${resource}${refused}`
    counts.set(line, (counts.get(line) ?? 0) + 1)
  }
  return counts
}
