/** What documents say of each other, over all files of a run. */
import { nearestName } from '../../kernel/values/spelling.ts'
import type { Finding } from '../rules/finding.ts'
import { finding } from '../rules/part-finding.ts'
import type { RuleId } from '../rules/rule.ts'
import type { ObjectFacts, Place, PortUse, Reference } from './facts.ts'
import { ObjectIndex } from './object-index.ts'

/** Collects the facts of objects and compares them when all are there. */
export class CrossCheck {
  /** By the file of the objects. */
  readonly #facts = new Map<string, ObjectFacts[]>()
  readonly #isComplete: boolean

  /** `isComplete`: the documents are all that there is, so that a reference which leads out of them leads nowhere. */
  constructor(isComplete: boolean) {
    this.#isComplete = isComplete
  }

  add(facts: ObjectFacts): void {
    const { file } = facts.place
    const known = this.#facts.get(file)
    if (known === undefined) this.#facts.set(file, [facts])
    else known.push(facts)
  }

  /** Puts others in the place of those that were added of a file. */
  replace(file: string, facts: readonly ObjectFacts[]): void {
    this.#facts.set(file, [...facts])
  }

  /** Takes away what was added of a file. */
  forget(file: string): void {
    this.#facts.delete(file)
  }

  /** What was added of a file. */
  of(file: string): readonly ObjectFacts[] {
    return this.#facts.get(file) ?? []
  }

  /** Every finding about what leads nowhere. */
  findings(): readonly Finding[] {
    const index = new ObjectIndex([...this.#facts.values()].flat())
    return index.all.flatMap((facts) => [
      ...facts.references.flatMap((one) => this.#reference(one, index)),
      ...facts.selectors.flatMap((one) => {
        const { namespace, labels, path } = one
        if (index.pods(namespace).length === 0 && !this.#isComplete) return []
        if (index.podsWith(namespace, labels).length > 0) return []
        return told(
          'selector.matches-nothing',
          `${path}: no pod of the files has ${shown(labels)}`,
          one,
        )
      }),
      ...facts.portUses.flatMap((one) => portFindings(one, index)),
    ])
  }

  #reference(one: Reference, index: ObjectIndex): readonly Finding[] {
    const { kind, namespace, name, path, keys } = one
    if (!one.expected) return []
    const found = index.object(one, namespace, name)
    if (found !== undefined) {
      return keys
        .filter(({ key }) => found.keys.length > 0 && !found.keys.includes(key))
        .flatMap((each) =>
          told(
            'reference.key',
            `${each.path}: ${kind} ${name} has no key ${each.key}${hint(each.key, found.keys)}`,
            each,
            nearestName(each.key, found.keys),
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
      near,
    )
  }
}

/** A port by its name that none of the pods has, or a port that the service does not have. */
function portFindings(one: PortUse, index: ObjectIndex): readonly Finding[] {
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
  const pods = index.podsWith(namespace, selector ?? {})
  if (pods.length === 0 || pods.some(({ ports }) => ports.includes(port))) return []
  const names = pods.flatMap(({ ports }) => ports.filter((each) => typeof each === 'string'))
  return told(
    'port.missing',
    `${path}: no container of the pods has a port ${port}${hint(String(port), names)}`,
    one,
    nearestName(String(port), names.map(String)),
  )
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
  near?: string,
): readonly Finding[] {
  const nearest = near === undefined ? {} : { nearest: near }
  return [{ ...finding(rule, message, at, path), file, object, ...nearest }]
}
