import type { UserInfo } from '../../../kernel/auth/user-info.ts'
import type { AuthorizationAttributes, AuthorizationResult } from '../authorizer.ts'

/** Most characters of keys that are kept, about 16 MB. */
const maxKeyLength = 8_000_000

/** What was decided about one user. */
export type UserDecisions = Map<string, AuthorizationResult>

/**
 * Decisions by user and request, as of one generation of what they follow from. It holds a bounded number: beyond, it
 * begins anew.
 */
export class DecisionCache {
  #byObject = new WeakMap<UserInfo, UserDecisions>()
  readonly #byName = new Map<string, UserDecisions>()
  #generation = -1
  #length = 0

  /** What was decided about a user, in the generation. The same object of a user is found at once. */
  of(user: UserInfo, generation: number): UserDecisions {
    if (generation !== this.#generation || this.#length > maxKeyLength) this.#clear(generation)
    const known = this.#byObject.get(user)
    if (known !== undefined) return known
    const key = JSON.stringify([user.username, user.groups])
    const decisions = this.#byName.get(key) ?? new Map()
    if (!this.#byName.has(key)) this.#length += key.length
    this.#byName.set(key, decisions)
    this.#byObject.set(user, decisions)
    return decisions
  }

  /** Keeps a decision. */
  keep(decisions: UserDecisions, key: string, result: AuthorizationResult): void {
    this.#length += key.length + 64
    decisions.set(key, result)
  }

  #clear(generation: number): void {
    this.#byObject = new WeakMap()
    this.#byName.clear()
    this.#generation = generation
    this.#length = 0
  }
}

/**
 * The request of a decision as one text, another one for every other request: lengths come first, as any part may hold any
 * character.
 */
export function decisionKey(attributes: AuthorizationAttributes): string {
  const { verb, group, resource, subresource = '', namespace = '', name, path } = attributes
  if (path !== undefined) return `${verb.length} ${verb}${path}`
  const lengths = `${verb.length},${group.length},${resource.length},${subresource.length}`
  const texts = `${verb}${group}${resource}${subresource}${namespace}${name}`
  return `${lengths},${namespace.length} ${texts}`
}
