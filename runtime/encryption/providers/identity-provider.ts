import type { Provider } from './provider.ts'

/** Stores values as they are, and reads those that are not encrypted. */
export const identityProvider: Provider = {
  name: 'identity',
  prefix: new Uint8Array(),
  method: 'identity',
  encrypt: (value) => value,
  decrypt: (stored) => stored,
}
