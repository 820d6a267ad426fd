/** What serves TLS, read from files or taken as it is: checked before it counts. */
import type { X509Certificate } from 'node:crypto'
import { readCertificates, readPair } from '../certificates/certificates.ts'
import { followFiles } from '../config/config.ts'
import type { Clock } from '../kernel/async/clock.ts'
import type { Log } from '../observe/observe.ts'
import type { Authorities, ServingFiles, ServingPair } from './secure-serving.ts'

/** What files are followed with. */
export interface Following {
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** A pair, and its certificates. */
export interface ReadPair extends ServingPair {
  readonly certificates: readonly X509Certificate[]
}

/** Takes a pair now and whenever its files change. @throws an Error that names everything that is wrong with it. */
export async function followPair(
  pair: ServingPair | ServingFiles,
  following: Following,
  use: (pair: ReadPair) => void,
): Promise<void> {
  if ('cert' in pair) return use(checkedPair(pair, 'the serving certificate'))
  const { certFile, keyFile } = pair
  await follow([certFile, keyFile], 'serving certificate', following, ([cert = '', key = '']) =>
    use(checkedPair({ cert, key }, `${certFile}, ${keyFile}`)),
  )
}

/** Takes certificates of authorities now and whenever their file changes. @throws an Error that names everything that is wrong. */
export async function followAuthorities(
  authorities: Authorities,
  following: Following,
  use: (certificates: readonly X509Certificate[]) => void,
): Promise<void> {
  if ('pem' in authorities)
    return use(checkedAuthorities(authorities.pem, 'authorities of clients'))
  if ('follow' in authorities) {
    return authorities.follow((pem) => use(checkedAuthorities(pem, 'authorities of clients')))
  }
  const { file } = authorities
  await follow([file], 'authorities of clients', following, ([text = '']) =>
    use(checkedAuthorities(text, file)),
  )
}

function follow(
  files: readonly string[],
  what: string,
  following: Following,
  use: (texts: readonly string[]) => void,
): Promise<void> {
  const onChange = (contents: readonly Buffer[]) => use(contents.map((one) => one.toString()))
  return followFiles(files, { ...following, what, onChange })
}

function checkedPair({ cert, key }: ServingPair, name: string): ReadPair {
  const { certificates, problems } = readPair({ cert, key })
  throwProblems(problems, name)
  return { cert, key, certificates }
}

function checkedAuthorities(text: string, name: string): readonly X509Certificate[] {
  const { certificates, problems } = readCertificates(text)
  throwProblems(problems, name)
  return certificates
}

function throwProblems(problems: readonly string[], name: string): void {
  if (problems.length > 0) throw new Error(problems.map((one) => `${name}: ${one}`).join('\n'))
}
