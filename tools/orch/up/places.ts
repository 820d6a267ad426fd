/** Where `orch up` keeps things: objects, certificates, and the file that leads clients to the server. */
import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { storageProblem } from '../../../daemons/apiserver/storage-flag.ts'
import { versionLine } from '../../../daemons/version.ts'
import type { Options } from '../../../runtime/config/config.ts'
import {
  isSharedStore,
  parseStoreLocation,
  type StoreLocation,
  storeLocationText,
} from '../../../runtime/store/store.ts'
import { quoted } from '../orchconfig.ts'

/** What is wrong with where objects are to be kept. */
export function storageProblems(options: Options): readonly string[] {
  const storage = options.string('storage')
  if (storage === '') return []
  const problem = storageProblem(storage)
  if (problem !== undefined) return [problem]
  const named = options.string('data-dir') !== '' && !isSharedStore(parseStoreLocation(storage)!)
  return named ? ['--storage and --data-dir: both say where objects are kept'] : []
}

/** Where objects are kept: as the flag says, or in a data directory, which is made if it is not there; else in memory. */
export async function storageOf(options: Options): Promise<StoreLocation> {
  const named = parseStoreLocation(options.string('storage'))
  const directory = options.string('data-dir')
  if (directory !== '') await mkdir(directory, { recursive: true, mode: 0o700 })
  if (named !== undefined) return named
  if (directory === '') return { kind: 'memory' }
  return { kind: 'sqlite', file: join(resolve(directory), 'store.db') }
}

/** Whether objects are there again at the next start. */
export function keepsObjects(options: Options): boolean {
  return options.string('data-dir') !== '' || options.string('storage') !== ''
}

/** The file for clients: the one that was named, or one in the data directory. */
export function orchconfigPath(options: Options): string {
  const given = options.string('orchconfig')
  return resolve(given === '' ? join(options.string('data-dir') || '.orch', 'orchconfig') : given)
}

/** Where certificates are kept: in the data directory, or beside the orchconfig file of a server without any. */
export function certificateFolder(options: Options): string {
  const data = options.string('data-dir')
  return join(data === '' ? dirname(orchconfigPath(options)) : resolve(data), 'certificates')
}

/** What a person wants to know first: where objects are kept, and the line that points clients at the server. */
export function welcome(
  storage: StoreLocation,
  orchconfig: string,
  insecureUrl: string,
): readonly string[] {
  const kept = keptIn(storage)
  const path = quoted(orchconfig)
  return [
    `${versionLine('orch')}: objects are kept ${kept}`,
    'to use it from another terminal, paste this line; then try kubectl get namespaces',
    '',
    `  export KUBECONFIG=${path} ORCHCONFIG=${path}`,
    '',
    ...(insecureUrl === '' ? [] : [`without TLS, open to every program here: ${insecureUrl}`]),
  ]
}

/** What a person is told of where objects are kept. */
function keptIn(storage: StoreLocation): string {
  if (storage.kind === 'sqlite') return `in ${storage.file}`
  if (storage.kind === 'postgres') return `at ${storeLocationText(storage.url)}`
  return 'in memory until it stops; --data-dir DIR keeps them'
}
