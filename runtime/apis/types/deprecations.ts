/** What is still accepted although it is deprecated: labels of nodes and sources of volumes. */
import type { NodeSelectorTerm } from '../../../generated/apis/core/v1/scheduling.ts'
import type { Field } from '../../kernel/walker/field.ts'

/** The successor of a label that nodes no longer have, below the platform's domain, and since when. */
const labels: Readonly<Record<string, readonly [since: string, successor: string]>> = {
  'beta.?/arch': ['v1.14', '?/arch'],
  'beta.?/os': ['v1.14', '?/os'],
  'failure-domain.beta.?/region': ['v1.17', 'topology.?/region'],
  'failure-domain.beta.?/zone': ['v1.17', 'topology.?/zone'],
  'beta.?/instance-type': ['v1.17', 'node.?/instance-type'],
}

/** What stands in place of a label of nodes, and since when; undefined for one that is not deprecated. */
function successor(key: string, domain: string): readonly [since: string, key: string] | undefined {
  const at = key.indexOf(`.${domain}/`)
  if (at < 0) return undefined
  const pattern = `${key.slice(0, at + 1)}?${key.slice(at + 1 + domain.length)}`
  const found = Object.hasOwn(labels, pattern) ? labels[pattern] : undefined
  return found && [found[0], found[1].replace('?', domain)]
}

/** The label that stands in place of a deprecated one of nodes; undefined for any other key. */
export function nodeLabelSuccessor(key: string, domain: string): string | undefined {
  return successor(key, domain)?.[1]
}

/** The warning about a deprecated label of nodes; undefined for any other key. */
export function deprecatedNodeLabel(key: string, domain: string): string | undefined {
  const found = successor(key, domain)
  return found && `deprecated since ${found[0]}; use "${found[1]}" instead`
}

/** The warnings about deprecated labels of nodes among the keys of expressions. */
export function* deprecatedKeys(
  term: Field<Pick<NodeSelectorTerm, 'matchExpressions'>>,
  domain: string,
): Iterable<string> {
  for (const expression of term.items('matchExpressions')) {
    const { key = '' } = expression.value
    const message = deprecatedNodeLabel(key, domain)
    if (message !== undefined) yield `${expression.path('key')}: ${key} is ${message}`
  }
}

const gone = (since: string, until?: string) =>
  until === undefined
    ? `deprecated in ${since}`
    : `deprecated in ${since}, non-functional in ${until}+`

/** Sources of volumes that are deprecated. */
export const deprecatedSources = {
  photonPersistentDisk: gone('v1.11', 'v1.16'),
  gitRepo: gone('v1.11'),
  scaleIO: gone('v1.16', 'v1.22'),
  flocker: gone('v1.22', 'v1.25'),
  storageos: gone('v1.22', 'v1.25'),
  quobyte: gone('v1.22', 'v1.25'),
  glusterfs: gone('v1.25', 'v1.26'),
  cephfs: gone('v1.28', 'v1.31'),
  rbd: gone('v1.28', 'v1.31'),
} as const

/** The one source whose warning writes its name in another way. */
const shown: Readonly<Record<string, string>> = { storageos: 'storageOS' }

/** The warnings about those of the named sources that a volume has, in the given order. */
export function* deprecatedVolume<K extends keyof typeof deprecatedSources>(
  volume: Field<{ readonly [source in K]?: object }>,
  names: readonly K[],
): Iterable<string> {
  const sources = volume.value as Readonly<Record<string, unknown>>
  for (const name of names) {
    if (sources[name] === undefined) continue
    yield `${volume.path(shown[name] ?? name)}: ${deprecatedSources[name]}`
  }
}
