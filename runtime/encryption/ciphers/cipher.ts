/** Encrypts values under one secret. Each value is bound to its place: moved to another one, it can no longer be read. */
export interface Cipher {
  encrypt(value: Uint8Array, place: string): Uint8Array
  /** @throws Error if the bytes were not made with this secret for this place. */
  decrypt(bytes: Uint8Array, place: string): Uint8Array
}

/** Makes the cipher of a secret. */
export type CipherMaker = (secret: Uint8Array) => Cipher

/** The error of bytes that a cipher did not make. Why they are not its own cannot be told apart. */
export function notOfThisKey(): Error {
  return new Error('it was encrypted with another key of this name, or it is damaged')
}
