/**
 * What the path of a schema file says: what it describes, which package its types are in, which module is generated
 * from it.
 */
import { ownPrefix } from './sources.ts'

/** What a document describes, by its path. */
export type DocumentRole =
  | 'markers'
  | 'groups'
  | 'features'
  | 'removals'
  | 'metrics'
  | 'access'
  | 'controllers'
  | 'flow-control'
  | 'features'
  | 'flags'
  | 'types'
  | 'well-known'

const single: ReadonlyMap<string, DocumentRole> = new Map([
  ['access.yaml', 'access'],
  ['controllers.yaml', 'controllers'],
  ['features.yaml', 'features'],
  ['flow-control.yaml', 'flow-control'],
  ['groups.yaml', 'groups'],
  ['markers.yaml', 'markers'],
  ['metrics.yaml', 'metrics'],
  ['removals.yaml', 'removals'],
  ['well-known.yaml', 'well-known'],
])

/** The role of a document: tables and flags have their own paths, everything else defines types. */
export function roleOf(file: string): DocumentRole {
  const path = withoutPrefix(file)
  return single.get(path) ?? (path.startsWith('flags/') ? 'flags' : 'types')
}

/** True for a document of orch's own root, which a user's root refers to by `orch:`. */
export function isForeign(file: string): boolean {
  return file.startsWith(ownPrefix)
}

/**
 * The package of a schema file: its folder down to the version, without the leading `api`. `api/core/v1/pod.yaml` and
 * `api/core/v1.yaml` are both in `core/v1`; a file outside such a folder is in `<group>/<version>`.
 */
export function packageOf(file: string, group: string, version: string): string {
  const steps = withoutPrefix(file)
    .replace(/\.ya?ml$/, '')
    .split('/')
  if (steps.at(-1) !== version) steps.pop()
  if (steps[0] === 'api' || (steps[0] === 'meta' && steps.length > 2)) steps.shift()
  if (steps.length > 1 && steps.at(-1) === version) return steps.join('/')
  return `${group === '' ? 'core' : group.split('.')[0]}/${version}`
}

/**
 * The generated module of a schema file, without extension: `apis/core/v1/pod` of `api/core/v1/pod.yaml`; that of a
 * configuration file has the file's own path.
 */
export function moduleOf(file: string): string {
  const path = withoutPrefix(file).replace(/\.ya?ml$/, '')
  return isConfig(file) ? path : `apis/${path.replace(/^api\//, '')}`
}

/** True for a document of configuration types. */
export function isConfig(file: string): boolean {
  return withoutPrefix(file).startsWith('config/')
}

/**
 * The definition that a reference names, seen from the file `from`: `[FILE]#/definitions/NAME`. Undefined for a text of
 * another form; whether there is such a definition is not looked at.
 */
export function resolveRef(
  ref: string,
  from: string,
): { readonly file: string; readonly name: string } | undefined {
  const [path, name, ...rest] = ref.split('#/definitions/')
  if (path === undefined || name === undefined || rest.length > 0 || name === '') return undefined
  if (path === '') return { file: from, name }
  if (path.startsWith(ownPrefix)) return { file: path, name }
  const prefix = isForeign(from) ? ownPrefix : ''
  const steps = withoutPrefix(from).split('/').slice(0, -1)
  for (const step of path.split('/')) {
    if (step === '..') steps.pop()
    else if (step !== '.') steps.push(step)
  }
  return { file: `${prefix}${steps.join('/')}`, name }
}

/** The path as it is in its own root. */
function withoutPrefix(file: string): string {
  return isForeign(file) ? file.slice(ownPrefix.length) : file
}
