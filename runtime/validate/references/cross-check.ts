/** What documents say of each other, over all files of a run. */
import { nearestName } from '../../kernel/values/spelling.ts'
import type { Finding } from '../rules/finding.ts'
import { finding } from '../rules/part-finding.ts'
import type { RuleId } from '../rules/rule.ts'
import type { ObjectFacts, Place, PodFacts, PortUse, Reference } from './facts.ts'

/** Collects the facts of objects and compares them when all are there. */
export class CrossCheck {
  readonly #facts: ObjectFacts[] = []
  readonly #isComplete: boolean

  /** `isComplete`: the documents are all that there is, so that a reference which leads out of them leads nowhere. */
  constructor(isComplete: boolean) {
    this.#isComplete = isComplete
  }

  add(facts: ObjectFacts): void {
    this.#facts.push(facts)
  }

  /** Every finding about what leads nowhere. */
  findings(): readonly Finding[] {
    const index = new Index(this.#facts)
    return this.#facts.flatMap((facts) => [
      ...facts.references.flatMap((one) => this.#reference(one, index)),
      ...facts.selectors.flatMap((one) => {
        const { namespace, labels, path } = one
        const pods = index.pods(namespace)
        if (pods.length === 0 && !this.#isComplete) return []
        if (pods.some((pod) => matches(pod, labels))) return []
        return told(
          'selector.matches-nothing',
          `${path}: no pod of the files has ${shown(labels)}`,
          one,
        )
      }),
      ...facts.portUses.flatMap((one) => portFindings(one, index)),
    ])
  }

  #reference(one: Reference, index: Index): readonly Finding[] {
    const { kind, namespace, name, path, keys } = one
    const found = index.object(one, namespace, name)
    if (found !== undefined) {
      return keys
        .filter(({ key }) => found.keys.length > 0 && !found.keys.includes(key))
        .flatMap((each) =>
          told(
            'reference.key',
            `${each.path}: ${kind} ${name} has no key ${each.key}${hint(each.key, found.keys)}`,
            each,
          ),
        )
    }
    const names = index.names(one, namespace)
    if (names.length === 0 && !this.#isComplete) return []
    const near = nearestName(name, names)
    if (near === undefined && !this.#isComplete) return []
    const where = namespace === '' || index.isClusterWide(one) ? '' : ` in namespace ${namespace}`
    return told(
      'reference.missing',
      `${path}: no file has ${kind} ${name}${where}${near === undefined ? '' : `; did you mean "${near}"?`}`,
      one,
    )
  }
}

/** A kind, whose group may be any. */
type OfKind = Pick<Reference, 'kind' | 'group'>

/** Objects by what they are asked for. */
class Index {
  readonly #objects = new Map<string, ObjectFacts[]>()
  readonly #places = new Map<string, ObjectFacts[]>()
  readonly #pods = new Map<string, PodFacts[]>()

  constructor(all: readonly ObjectFacts[]) {
    for (const facts of all) {
      const { kind, namespace, name, pods } = facts
      listIn(this.#objects, `${kind}\0${namespace}\0${name}`).push(facts)
      listIn(this.#places, `${kind}\0${namespace}`).push(facts)
      for (const pod of pods) listIn(this.#pods, pod.namespace).push(pod)
    }
  }

  object({ kind, group }: OfKind, namespace: string, name: string): ObjectFacts | undefined {
    const find = (place: string) =>
      this.#objects.get(`${kind}\0${place}\0${name}`)?.find((one) => isOf(one, group))
    return find(namespace) ?? find('')
  }

  names({ kind, group }: OfKind, namespace: string): readonly string[] {
    const at = (place: string) =>
      (this.#places.get(`${kind}\0${place}`) ?? []).filter((one) => isOf(one, group))
    const own = at(namespace)
    return (own.length > 0 ? own : at('')).map(({ name }) => name)
  }

  isClusterWide({ kind, group }: OfKind): boolean {
    return this.#places.get(`${kind}\0`)?.some((one) => isOf(one, group)) === true
  }

  pods(namespace: string): readonly PodFacts[] {
    return this.#pods.get(namespace) ?? []
  }
}

function isOf(facts: ObjectFacts, group: string | undefined): boolean {
  return group === undefined || facts.group === group
}

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  const known = lists.get(key)
  if (known !== undefined) return known
  const list: T[] = []
  lists.set(key, list)
  return list
}

/** A port by its name that none of the pods has, or a port that the service does not have. */
function portFindings(one: PortUse, index: Index): readonly Finding[] {
  const { path, port, service, namespace, selector } = one
  if (service !== undefined) {
    const found = index.object({ kind: 'Service', group: '' }, namespace, service)
    if (found === undefined || found.ports.includes(port)) return []
    return told(
      'port.missing',
      `${path}: Service ${service} has no port ${port}; it has ${found.ports.join(', ')}`,
      one,
    )
  }
  const pods = index.pods(namespace).filter((pod) => matches(pod, selector ?? {}))
  if (pods.length === 0 || pods.some(({ ports }) => ports.includes(port))) return []
  const names = pods.flatMap(({ ports }) => ports.filter((each) => typeof each === 'string'))
  return told(
    'port.missing',
    `${path}: no container of the pods has a port ${port}${hint(String(port), names)}`,
    one,
  )
}

function matches({ labels }: PodFacts, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value)
}

function shown(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
}

function hint(name: string, names: readonly (string | number)[]): string {
  const near = nearestName(name, names.map(String))
  return near === undefined ? '' : `; did you mean "${near}"?`
}

function told(
  rule: RuleId,
  message: string,
  { file, at, path, object }: Place,
): readonly Finding[] {
  return [{ ...finding(rule, message, at, path), file, object }]
}
