import { identityProvider } from './identity-provider.ts'
import { isEncrypted, makerOf, type Provider, startsWith } from './provider.ts'

/** The providers of some resources: the first one encrypts, each decrypts what it has made. */
export class ProviderChain {
  readonly #providers: readonly Provider[]
  readonly #first: Provider

  constructor(providers: readonly [Provider, ...Provider[]]) {
    this.#providers = providers
    this.#first = providers[0]
  }

  /** The provider that encrypts. */
  get writer(): Provider {
    return this.#first
  }

  /** The provider of stored bytes. @throws Error that names who made them, and what to do, if there is none. */
  readerOf(stored: Uint8Array): Provider {
    if (this.#first !== identityProvider && startsWith(stored, this.#first.prefix))
      return this.#first
    const encrypted = isEncrypted(stored)
    for (const provider of this.#providers) {
      const isIdentity = provider === identityProvider
      if (isIdentity ? !encrypted : startsWith(stored, provider.prefix)) return provider
    }
    throw new Error(encrypted ? unknownMaker(stored) : notEncrypted)
  }
}

const notEncrypted =
  'it is stored as it is, and identity is not among its providers: add identity as the last one until everything is encrypted'

function unknownMaker(stored: Uint8Array): string {
  const maker = makerOf(stored)
  return `it was encrypted by ${maker}, which is not among its providers: add it behind the first one until everything is encrypted anew`
}

/** The providers of resources that no rule names: values are stored as they are. */
export const unencrypted = new ProviderChain([identityProvider])
