import type { Provider } from './providers/provider.ts'
import { type ProviderChain, unencrypted } from './providers/provider-chain.ts'

/** A resource of an API group; "" is the core group. */
export interface GroupResource {
  readonly group: string
  readonly resource: string
}

/** What a rule may say instead of a name. */
const anything = '*'

/** Which providers a resource has: those of the rule that names it, else of its whole group, else of everything. */
export class EncryptionRules {
  /** The providers of all rules, each once. */
  readonly providers: readonly Provider[]
  readonly #chains: ReadonlyMap<string, ProviderChain>

  /** `chains` by names as configuration files have them: `secrets`, `deployments.apps`, `*.apps`, `*.` and `*.*`. */
  constructor(chains: ReadonlyMap<string, ProviderChain>, providers: readonly Provider[]) {
    this.#chains = new Map([...chains].map(([name, chain]) => [fullName(name), chain]))
    this.providers = providers
  }

  of({ group, resource }: GroupResource): ProviderChain {
    return (
      this.#chains.get(`${resource}.${group}`) ??
      this.#chains.get(`${anything}.${group}`) ??
      this.#chains.get(`${anything}.${anything}`) ??
      unencrypted
    )
  }
}

/** Rules that encrypt nothing. */
export const noEncryption = new EncryptionRules(new Map(), [])

/** `secrets` is `secrets.`, a resource of the core group. */
export function fullName(name: string): string {
  return name.includes('.') ? name : `${name}.`
}
