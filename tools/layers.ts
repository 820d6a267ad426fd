/**
 * The floors of the house: a room may import rooms on lower floors only. ARCHITECTURE.md prints this table, and
 * `tools/check/layers.ts` holds every import to it.
 */
export interface Layer {
  readonly modules: readonly string[]
  readonly about: string
}

/** From the ground up. */
export const layers: readonly Layer[] = [
  { modules: ['runtime/kernel'], about: 'words every line may use' },
  { modules: ['generated'], about: 'pure facts, passed in as an argument' },
  {
    modules: ['runtime/serializer', 'runtime/observe', 'runtime/cel'],
    about: 'bytes, what an operator is told; expressions',
  },
  {
    modules: [
      'runtime/store',
      'runtime/apply',
      'runtime/client',
      'runtime/config',
      'runtime/webhook',
      'runtime/audit',
    ],
    about: 'revisions; merging; requests; options; asking others; records',
  },
  {
    modules: ['runtime/auth', 'runtime/apiextensions', 'runtime/policy'],
    about: 'users and rights; custom resources; expressions about requests',
  },
  {
    modules: ['runtime/watch', 'runtime/apis', 'runtime/admission', 'runtime/informer'],
    about: 'live views, and what is particular to a kind',
  },
  {
    modules: ['runtime/registry', 'runtime/reconcile'],
    about: 'the order of things for one verb, one key',
  },
  { modules: ['runtime/server'], about: 'HTTP' },
  { modules: ['runtime/apiserver'], about: 'the server rooms put together' },
  { modules: ['runtime/testing', 'runtime/runtime.ts'], about: 'what users of the package import' },
  { modules: ['daemons'], about: 'options to rooms to run' },
  { modules: ['tools'], about: 'the orch command and our own checks' },
  { modules: ['examples'], about: 'as a stranger would: through the package only' },
]

/** Rooms of the server and of its clients meet in generated facts and on the wire, never in an import. */
export const serverModules: readonly string[] = [
  'runtime/store',
  'runtime/webhook',
  'runtime/audit',
  'runtime/watch',
  'runtime/apiextensions',
  'runtime/policy',
  'runtime/apis',
  'runtime/registry',
  'runtime/admission',
  'runtime/auth',
  'runtime/server',
]
export const clientModules: readonly string[] = [
  'runtime/client',
  'runtime/informer',
  'runtime/reconcile',
]

/** Any file of these rooms may be imported; other rooms are entered through the file named after them. */
export const openModules: readonly string[] = ['runtime/kernel', 'generated', 'daemons', 'tools']

/** The table as ARCHITECTURE.md prints it, top floor first. */
export function printLayers(): string {
  const rows = layers.map(({ modules: rooms, about }, floor) => {
    const names = rooms.map((room) => room.replace(/^runtime\//, '')).join('  ')
    return `${String(floor - 1).padStart(2)}  ${names.padEnd(46)}${about}`
  })
  return rows.reverse().join('\n')
}
